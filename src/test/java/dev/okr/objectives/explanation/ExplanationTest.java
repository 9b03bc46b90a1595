package dev.okr.objectives.explanation;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The explanation of an objective's progress. */
@QuarkusTest
class ExplanationTest extends HttpTest {
    @Test
    void key_results_and_children_have_shares_and_points() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = member.post(Paths.keyResults(objective), with(Requests.keyResult(0, 10), "weight", 2))
                .is(201)
                .id();
        var checkedInAt = member.post(Paths.checkIns(keyResult), object("value", 5))
                .is(201)
                .text("recorded_at");
        var child = newObjective(cycle);
        newCheckIn(newKeyResult(child, 0, 10), 2);
        member.post("/v1/alignments", with(Requests.alignment(objective, child), "alignment_type", "contributes_to"))
                .is(201);
        newAlignment(objective, newObjective(cycle));

        var explained = viewer.get(Paths.objective(objective) + "/progress").is(200);
        assertThat(explained.text("objective_id")).isEqualTo(objective);
        assertThat(explained.number("progress")).isEqualByComparingTo("0.4");
        assertThat(explained.number("expected_progress")).isEqualByComparingTo("0");
        assertThat(explained.text("suggested_status")).isEqualTo("on_track");
        assertThat(explained.data().get("contributions").get(0).toString())
                .isEqualTo("""
                        {"type":"key_result","id":"%s","title":"Onboarded customers","weight":2,"progress":0.5,\
                        "share":0.6667,"points":0.3333,"start_value":0,"current_value":5,"target_value":10,\
                        "last_check_in_at":"%s"}""".formatted(keyResult, checkedInAt));
        assertThat(explained.data().get("contributions").get(1).toString()).isEqualTo("""
                        {"type":"objective","id":"%s","title":"Win the trust of mid-sized customers","weight":1,\
                        "progress":0.2,"share":0.3333,"points":0.0667}""".formatted(child));
        assertThat(explained.data().get("reasons"))
                .extracting(reason -> reason.textValue())
                .containsExactly("One objective only supports this one, so its progress does not count.");
    }

    @Test
    void an_objective_without_key_results_is_explained() {
        var explained =
                viewer.get(Paths.objective(newObjective()) + "/progress").is(200);
        assertThat(explained.data().get("contributions")).isEmpty();
        assertThat(explained.text("suggested_status")).isEqualTo("not_started");
        assertThat(explained.data().get("reasons").get(0).textValue()).contains("no key results");
    }

    @Test
    void the_reasons_tell_why_the_progress_is_0() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 10, 20);
        assertThat(reasons(objective)).containsExactly("The key result has no check-in yet.");

        newCheckIn(keyResult, 5);
        assertThat(reasons(objective))
                .containsExactly("“Onboarded customers” moves away from its target. "
                        + "It started at 10, its target is 20, and its value is 5.");

        newCheckIn(keyResult, 15);
        member.send("PATCH", "/v1/key-results/" + keyResult, object("weight", 0))
                .is(200);
        assertThat(reasons(objective)).containsExactly("All weights are 0, so nothing counts and the progress is 0 %.");

        var child = newObjective();
        member.post("/v1/alignments", with(Requests.alignment(objective, child), "alignment_type", "contributes_to"))
                .is(201);
        assertThat(reasons(objective))
                .containsExactly(
                        "“Onboarded customers” has the weight 0, so it does not count.",
                        "The contributing objective has no progress yet.");
    }

    private List<String> reasons(String objective) {
        var explained = viewer.get(Paths.objective(objective) + "/progress").is(200);
        assertThat(explained.number("progress")).isZero();
        return explained
                .data()
                .get("reasons")
                .valueStream()
                .map(JsonNode::textValue)
                .toList();
    }

    @Test
    void the_explanation_of_a_closed_cycle_says_that_children_have_changed() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var child = newObjective();
        var keyResult = newKeyResult(child, 0, 10);
        newCheckIn(keyResult, 4);
        member.post("/v1/alignments", with(Requests.alignment(objective, child), "alignment_type", "contributes_to"))
                .is(201);
        admin.post("/v1/cycles/" + cycle + "/close", null).is(200);
        newCheckIn(keyResult, 10);

        var explained = viewer.get(Paths.objective(objective) + "/progress").is(200);
        assertThat(explained.number("progress")).isEqualByComparingTo("0.4");
        assertThat(explained.data().get("contributions").get(0).get("points").decimalValue())
                .isEqualByComparingTo("1");
        assertThat(explained.data().get("reasons"))
                .extracting(reason -> reason.textValue())
                .containsExactly(
                        "The cycle is closed, so the progress no longer changes.",
                        "Contributing objectives of other cycles have changed since then, "
                                + "so the points do not add up to the final progress.");
    }

    @Test
    void the_expected_progress_is_the_elapsed_part_of_the_cycle() {
        var now = Instant.now();
        var cycle = admin.post(
                        "/v1/cycles",
                        with(
                                Requests.uniqueCycle(),
                                "starts_at",
                                now.minus(Duration.ofDays(30)).toString(),
                                "ends_at",
                                now.plus(Duration.ofDays(10)).toString()))
                .is(201)
                .id();
        var explained =
                viewer.get(Paths.objective(newObjective(cycle)) + "/progress").is(200);
        assertThat(explained.number("expected_progress"))
                .isCloseTo(new BigDecimal("0.75"), within(new BigDecimal("0.001")));
        assertThat(explained.text("suggested_status")).isEqualTo("behind");
    }

    @Test
    void an_unknown_or_another_organisations_objective_is_not_found() {
        var objective = newObjective();
        for (var strange : StrangeIds.like(IdKind.OBJECTIVE, objective)) {
            viewer.get(Paths.objective(strange) + "/progress").isNotFound();
        }
        organization().admin().get(Paths.objective(objective) + "/progress").isNotFound();
        stranger().get(Paths.objective(objective) + "/progress").isProblem(401, "unauthenticated");
        viewer.get(Paths.objective(objective) + "/progress?unknown=1").isMalformed();
    }
}
