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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every tool, with the keys of different users. */
@QuarkusTest
class McpToolsTest extends HttpTest {
    private static final List<String> READING = List.of(
            "who_am_i",
            "list_cycles",
            "cycle_summary",
            "find_objectives",
            "get_objective",
            "explain_progress",
            "list_stale_key_results");
    private static final List<String> WRITING = List.of(
            "check_in",
            "check_in_batch",
            "create_objective",
            "update_objective",
            "create_key_result",
            "update_key_result",
            "align_objectives");

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
    void a_key_sees_the_tools_that_it_may_use() {
        var all = new ArrayList<>(READING);
        all.addAll(WRITING);

        assertThat(assistant(admin).toolNames()).containsExactlyElementsOf(all);
        assertThat(assistant(member).toolNames()).containsExactlyElementsOf(all);
        assertThat(assistant(viewer).toolNames()).containsExactlyElementsOf(READING);
        assertThat(assistant(acme.scoped("read")).toolNames()).containsExactlyElementsOf(READING);
        assertThat(assistant(acme.scoped("write")).toolNames()).containsExactlyElementsOf(WRITING);
        assertThat(assistant(acme.scoped("webhooks")).toolNames()).isEmpty();
    }

    @Test
    void a_tool_that_is_not_listed_cannot_be_called() {
        for (var each : WRITING) {
            refuses(viewer, each, "forbidden");
            refuses(acme.scoped("read"), each, "insufficient_scope");
        }
        for (var each : READING) {
            refuses(acme.scoped("write"), each, "insufficient_scope");
        }
        assertThat(admin.get(Paths.objective(objective)).number("progress")).isZero();
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
    void no_tool_changes_anything_in_a_closed_cycle() {
        var closed = newCompletedCycle();
        var goal = newObjective(closed);
        var measure = newKeyResult(goal, 0, 10);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        var before = viewer.get(Paths.objective(goal)).data();
        var assistant = assistant(admin);
        var results = Map.of(
                "check_in", assistant.call("check_in", "key_result_id", measure, "value", 1),
                "check_in_batch",
                        assistant.call(
                                "check_in_batch", "check_ins", List.of(object("key_result_id", measure, "value", 1))),
                "create_objective", assistant.call("create_objective", "title", "New", "cycle_id", closed),
                "update_objective", assistant.call("update_objective", "objective_id", goal, "title", "Changed"),
                "create_key_result",
                        assistant.call(
                                "create_key_result",
                                "objective_id",
                                goal,
                                "title",
                                "New",
                                "metric_type",
                                "number",
                                "start_value",
                                0,
                                "target_value",
                                1),
                "update_key_result", assistant.call("update_key_result", "key_result_id", measure, "title", "Changed"),
                "align_objectives",
                        assistant.call(
                                "align_objectives",
                                "parent_objective_id",
                                objective,
                                "child_objective_id",
                                goal,
                                "alignment_type",
                                "supports"));

        assertThat(results.keySet()).containsExactlyInAnyOrderElementsOf(WRITING);
        results.values().forEach(result -> result.failsWith("cycle_closed"));
        assertThat(viewer.get(Paths.objective(goal)).data()).isEqualTo(before);
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
    void another_organisation_does_not_exist() {
        var stranger = assistant(organization().admin());

        stranger.call("get_objective", "objective_id", objective).failsWith("not_found");
        stranger.call("explain_progress", "objective_id", objective).failsWith("not_found");
        stranger.call("cycle_summary", "cycle_id", cycle).failsWith("not_found");
        assertThat(stranger.call("find_objectives")
                        .content()
                        .path("meta")
                        .path("total")
                        .asInt())
                .isZero();
        assertThat(stranger.call("list_cycles")
                        .content()
                        .path("meta")
                        .path("total")
                        .asInt())
                .isZero();
        assertThat(stranger.call("list_stale_key_results")
                        .content()
                        .path("meta")
                        .path("total")
                        .asInt())
                .isZero();
        stranger.call("check_in", "key_result_id", keyResult, "value", 1).failsWith("not_found");
        stranger.call("check_in_batch", "check_ins", List.of(object("key_result_id", keyResult, "value", 1)))
                .failsWith("validation_failed");
        stranger.call("create_objective", "title", "T", "cycle_id", cycle).failsWith("validation_failed");
        stranger.call("update_objective", "objective_id", objective, "title", "T")
                .failsWith("not_found");
        stranger.call(
                        "create_key_result",
                        "objective_id",
                        objective,
                        "title",
                        "T",
                        "metric_type",
                        "number",
                        "start_value",
                        0,
                        "target_value",
                        1)
                .failsWith("not_found");
        stranger.call("update_key_result", "key_result_id", keyResult, "title", "T")
                .failsWith("not_found");
        stranger.call("align_objectives", "parent_objective_id", objective, "child_objective_id", newObjective(cycle))
                .failsWith("validation_failed");
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
    void every_writing_tool_acts_once_for_a_key() {
        var assistant = assistant(member);
        var child = newObjective(cycle);
        var calls = Map.<String, Object[]>of(
                "check_in_batch",
                        new Object[] {"check_ins", List.of(object("key_result_id", keyResult, "increment", 1))},
                "create_objective", new Object[] {"title", "New", "cycle_id", cycle},
                "update_objective", new Object[] {"objective_id", objective, "title", "Changed"},
                "create_key_result",
                        new Object[] {
                            "objective_id",
                            objective,
                            "title",
                            "New",
                            "metric_type",
                            "boolean",
                            "start_value",
                            0,
                            "target_value",
                            1
                        },
                "update_key_result", new Object[] {"key_result_id", keyResult, "title", "Changed"},
                "align_objectives", new Object[] {"parent_objective_id", objective, "child_objective_id", child});
        calls.forEach((tool, arguments) -> {
            var keyed = Arrays.copyOf(arguments, arguments.length + 2);
            keyed[arguments.length] = "idempotency_key";
            keyed[arguments.length + 1] = "once";
            var first = assistant.call(tool, keyed).succeeds();
            assertThat(assistant.call(tool, keyed).succeeds().content())
                    .as(tool)
                    .isEqualTo(first.content());
        });
        // A change in between shows that the repeated call did not write again.
        admin.put(Paths.objective(objective), object("title", "Later")).is(200);
        assistant
                .call("update_objective", "objective_id", objective, "title", "Changed", "idempotency_key", "once")
                .succeeds();
        assertThat(admin.get(Paths.objective(objective)).text("title")).isEqualTo("Later");
        assertThat(admin.get(Paths.checkIns(keyResult)).ids()).hasSize(1);
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

    private static void refuses(Api api, String tool, String code) {
        var error = assistant(api).tryCall(tool, Map.of()).is(200).json().path("error");
        assertThat(error.path("code").asInt()).as(tool).isEqualTo(-32_602);
        assertThat(error.path("message").asText()).as(tool).startsWith(code);
    }

    static Assistant assistant(Api api) {
        return new Assistant(api);
    }
}
