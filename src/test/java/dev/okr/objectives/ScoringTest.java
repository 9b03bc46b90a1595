package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ScoringTest extends HttpTest {
    @Test
    void an_objective_of_a_completed_cycle_takes_a_score_and_a_retrospective() {
        var objective = newObjective(newCompletedCycle());
        var path = Paths.objective(objective);
        assertThat(viewer.get(path).data().has("score")).isFalse();
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();

        var scored = member.put(path, object("score", 0.7, "retrospective", " We started too late.\r\n"))
                .is(200);

        assertThat(scored.number("score")).isEqualByComparingTo("0.7");
        assertThat(scored.text("retrospective")).isEqualTo("We started too late.");
        assertThat(viewer.get(path).text("retrospective")).isEqualTo("We started too late.");
        assertThat(viewer.get("/v1/objectives").data().get(0).get("score"))
                .isEqualTo(scored.data().get("score"));
        assertThat(events.next()).singleElement().satisfies(event -> {
            assertThat(event.type()).isEqualTo("objective.updated");
            assertThat(event.data()).isEqualTo(scored.data());
            assertThat(event.previous().properties().stream().map(Map.Entry::getKey))
                    .containsExactlyInAnyOrder("score", "retrospective");
        });
        acme.backdate();
        var unchanged = viewer.get(path).data();
        var same = member.put(path, object("score", 0.70, "retrospective", "We started too late."))
                .is(200);
        assertThat(same.number("score")).isEqualByComparingTo("0.7");
        assertThat(viewer.get(path).data()).isEqualTo(unchanged);
        assertThat(events.next()).isEmpty();
        var cleared =
                member.put(path, object("score", null, "retrospective", null)).is(200);
        assertThat(cleared.data().has("score")).isFalse();
        assertThat(cleared.data().has("retrospective")).isFalse();
    }

    @Test
    void a_score_is_from_0_to_1_with_at_most_2_decimals() {
        var path = Paths.objective(newObjective(newCompletedCycle()));
        for (var score : List.of(0, 1, 0.01)) {
            assertThat(member.put(path, object("score", score)).is(200).number("score"))
                    .isEqualByComparingTo(String.valueOf(score));
        }
        member.put(path, object("score", 1.01)).isInvalid("/score out_of_range");
        member.put(path, object("score", -0.1)).isInvalid("/score out_of_range");
        member.put(path, object("score", 0.123)).isInvalid("/score too_many_decimals");
        member.put(path, object("score", "0.5")).isInvalid("/score invalid_type");
        member.put(path, object("retrospective", "x".repeat(4_097))).isInvalid("/retrospective too_long");
        assertThat(member.put(path, object("retrospective", "x".repeat(4_096)))
                        .is(200)
                        .text("retrospective"))
                .hasSize(4_096);
    }

    @Test
    void an_objective_takes_no_score_before_the_end_of_its_cycle() {
        var path = Paths.objective(newObjective());
        assertThat(member.put(path, object("score", 0.5))
                        .isProblem(409, "conflict")
                        .detail())
                .contains("completed cycle", "planned");
        member.put(path, object("retrospective", "Too early.")).isProblem(409, "conflict");
        member.put(path, object("score", null, "title", "No score yet")).is(200);

        var active = admin.post("/v1/cycles", with(Requests.uniqueCycle(), "starts_at", "2020-01-01T00:00:00Z"))
                .is(201)
                .id();
        TestDatabase.execute(
                "UPDATE cycle SET status = 'active' WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.CYCLE.require(active));
        assertThat(member.put(Paths.objective(newObjective(active)), object("score", 0.5))
                        .isProblem(409, "conflict")
                        .detail())
                .contains("completed cycle", "active");
    }

    @Test
    void an_objective_takes_no_score_if_its_cycle_gets_a_later_end() {
        var cycle = newCompletedCycle();
        var path = Paths.objective(newObjective(cycle));
        admin.put("/v1/cycles/" + cycle, object("ends_at", "2099-01-01T00:00:00Z"))
                .is(200);
        member.put(path, object("score", 0.5)).isProblem(409, "conflict");
    }

    @Test
    void a_score_and_its_objective_survive_deletion() {
        var path = Paths.objective(newObjective(newCompletedCycle()));
        var scored = member.put(path, object("score", 0.3, "retrospective", "We learned a lot."))
                .is(200);
        member.delete(path).is(200);
        var restored = member.post("/v1/deleted-objectives/" + scored.id() + "/restore", null)
                .is(201);
        assertThat(restored.number("score")).isEqualByComparingTo("0.3");
        assertThat(restored.text("retrospective")).isEqualTo("We learned a lot.");
    }
}
