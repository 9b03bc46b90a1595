package dev.okr.objectives.mcp;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.Assistant.Result;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the tools do. {@link EveryToolTest} has the rules for all of them. */
@QuarkusTest
class McpToolsTest extends HttpTest {
    private String cycle;
    private String objective;
    private String keyResult;

    @BeforeEach
    void createGoals() {
        cycle = newCycle();
        objective = newObjective(cycle);
        keyResult = newKeyResult(objective, 0, 10);
    }

    @Test
    void reading_tools_return_what_the_api_returns() {
        newCheckIn(keyResult, new BigDecimal("2.5"));
        for (var reader : List.of(admin, member, viewer, acme.scoped("read"))) {
            var assistant = assistant(reader);

            equal(assistant.call("who_am_i"), reader, "/v1/users/me");
            equal(
                    assistant.call("list_cycles", "status", "planned", "per_page", 1),
                    reader,
                    "/v1/cycles?status=planned&per_page=1");
            equal(
                    assistant.call("find_objectives", "q", "trust", "cycle_id", cycle),
                    reader,
                    "/v1/objectives?q=trust&cycle_id=" + cycle);
            equal(assistant.call("get_objective", "objective_id", objective), reader, Paths.objective(objective));
            equal(
                    assistant.call("explain_progress", "objective_id", objective),
                    reader,
                    Paths.objective(objective) + "/progress");
            equal(
                    assistant.call("list_stale_key_results", "cycle_id", cycle, "stale_since", "2098-01-01T00:00:00Z"),
                    reader,
                    "/v1/key-results?cycle_id=" + cycle + "&stale_since=2098-01-01T00:00:00Z");
            assertThat(assistant
                            .call("cycle_summary", "cycle_id", cycle)
                            .succeeds()
                            .content()
                            .path("data")
                            .path("progress")
                            .decimalValue())
                    .isEqualByComparingTo("0.25");
        }
    }

    @Test
    void key_results_are_stale_after_two_weeks() {
        var other = newKeyResult(objective, 0, 10);
        newCheckIn(other, 1);

        var stale = assistant(member).call("list_stale_key_results").succeeds();

        assertThat(stale.content().findValuesAsText("id")).containsExactly(keyResult);
    }

    @Test
    void writing_tools_do_what_the_api_does() {
        for (var writer : List.of(admin, member, acme.scoped("read", "write"))) {
            var assistant = assistant(writer);
            var goal = assistant
                    .call("create_objective", "title", "Sell more", "cycle_id", cycle)
                    .id();
            var measure = assistant
                    .call(
                            "create_key_result",
                            "objective_id",
                            goal,
                            "title",
                            "Sales",
                            "metric_type",
                            "number",
                            "start_value",
                            0,
                            "target_value",
                            new BigDecimal("99999999999.999999"))
                    .id();
            assistant
                    .call("update_objective", "objective_id", goal, "status", "at_risk", "description", "More")
                    .succeeds();
            assistant
                    .call("update_key_result", "key_result_id", measure, "target_value", 20, "weight", 2)
                    .succeeds();
            assistant
                    .call("check_in", "key_result_id", measure, "value", new BigDecimal("0.000001"))
                    .succeeds();
            var batch = assistant.call(
                    "check_in_batch",
                    "check_ins",
                    List.of(
                            object("key_result_id", measure, "value", 5),
                            object("key_result_id", measure, "increment", 5)));
            var alignment = assistant.call(
                    "align_objectives",
                    "parent_objective_id",
                    objective,
                    "child_objective_id",
                    goal,
                    "alignment_type",
                    "contributes_to");

            assertThat(batch.succeeds().content().path("data").findValuesAsText("value"))
                    .containsExactly("5", "10");
            assertThat(alignment
                            .succeeds()
                            .content()
                            .path("data")
                            .path("alignment_type")
                            .asText())
                    .isEqualTo("contributes_to");
            var read = writer.get(Paths.objective(goal));
            assertThat(read.text("status")).isEqualTo("at_risk");
            assertThat(read.number("progress")).isEqualByComparingTo("0.5");
            assertThat(assistant.call("get_objective", "objective_id", goal).content())
                    .isEqualTo(read.json());
        }
    }

    @Test
    void null_clears_a_field() {
        var assistant = assistant(member);
        assistant
                .call("update_objective", "objective_id", objective, "description", "Text")
                .succeeds();

        var cleared = assistant
                .call("update_objective", "objective_id", objective, "description", null)
                .succeeds();

        assertThat(cleared.content().path("data").has("description")).isFalse();
    }

    @Test
    void values_are_exact() {
        var exact = new BigDecimal("12345678901.123456");
        var measure = newKeyResult(objective, 0, new BigDecimal("99999999999.999999"));

        var result = assistant(member)
                .call("check_in", "key_result_id", measure, "value", exact)
                .succeeds();

        assertThat(result.content().path("data").path("value").decimalValue()).isEqualByComparingTo(exact);
    }

    @Test
    void errors_have_the_code_and_the_detail_of_the_api() {
        var assistant = assistant(member);

        var unknown =
                assistant.call("get_objective", "objective_id", "obj_nope").failsWith("not_found");
        assertThat(unknown.content().path("detail").asText()).isEqualTo("No such objective.");
        var invalid =
                assistant.call("create_objective", "title", "", "colour", "red").failsWith("validation_failed");
        assertThat(invalid.content().path("errors").findValuesAsText("pointer"))
                .containsExactlyInAnyOrder("/title", "/cycle_id", "/colour");
        assistant.call("get_objective").failsWith("validation_failed");
        assistant.call("get_objective", "objective_id", 5).failsWith("validation_failed");
        assistant.call("who_am_i", "x", 1).failsWith("validation_failed");
        assistant.call("list_cycles", "status", "soon").failsWith("malformed_request");
        assistant.call("list_cycles", "status", List.of(1)).failsWith("validation_failed");
        assistant.call("list_cycles", "status", Map.of()).failsWith("validation_failed");
        assistant.call("list_cycles", "status", List.of("active", "planned")).succeeds();
        assistant.call("find_objectives", "page", 0).failsWith("malformed_request");
        assistant
                .call("check_in", "key_result_id", keyResult, "value", 1, "idempotency_key", "a b")
                .failsWith("validation_failed");
        var other = newObjective(cycle);
        newAlignment(objective, other);
        assistant
                .call("align_objectives", "parent_objective_id", objective, "child_objective_id", other)
                .failsWith("conflict");
        assistant
                .call(
                        "update_objective",
                        "objective_id",
                        newObjectiveOfAdmin(),
                        "owner_id",
                        acme.viewerUser().id())
                .failsWith("forbidden");
    }

    private String newObjectiveOfAdmin() {
        return admin.post("/v1/objectives", object("title", "Mine", "cycle_id", cycle))
                .id();
    }

    @Test
    void a_repeated_call_acts_once() {
        var assistant = assistant(member);
        var arguments = new Object[] {"key_result_id", keyResult, "increment", 2, "idempotency_key", "once"};

        var first = assistant.call("check_in", arguments).succeeds();
        var second = assistant.call("check_in", arguments).succeeds();

        assertThat(second.content()).isEqualTo(first.content());
        assertThat(admin.get(Paths.checkIns(keyResult)).ids()).containsExactly(first.id());
        assistant
                .call("check_in", "key_result_id", keyResult, "increment", 3, "idempotency_key", "once")
                .failsWith("idempotency_mismatch");
    }

    @Test
    void a_failed_call_is_repeated_with_the_same_failure() {
        var assistant = assistant(member);
        var arguments = new Object[] {"title", "", "cycle_id", cycle, "idempotency_key", "wrong"};

        var first = assistant.call("create_objective", arguments).failsWith("validation_failed");

        assertThat(assistant.call("create_objective", arguments).content()).isEqualTo(first.content());
    }

    private static void equal(Result result, Api reader, String path) {
        assertThat(result.succeeds().content())
                .as(path)
                .isEqualTo(reader.get(path).is(200).json());
    }

    private static Assistant assistant(Api api) {
        return new Assistant(api);
    }
}
