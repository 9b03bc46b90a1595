package dev.okr.objectives.overview;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Json.tree;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CycleSummaryTest extends HttpTest {
    @Test
    void a_summary_has_the_standing_of_the_cycle_and_of_each_team() {
        var cycle = newCycle();
        var sales = acme.team("Sales");
        var growth = acme.team("Growth");
        acme.team("Without objectives");
        newCheckIn(newKeyResult(objective(cycle, growth.id(), "on_track"), 0, 10), 5);
        objective(cycle, growth.id(), "on_track");
        newCheckIn(newKeyResult(objective(cycle, sales.id(), "at_risk"), 0, 10), 10);
        newObjective(cycle);
        newObjective();

        var summary = viewer.get(path(cycle)).is(200);

        assertThat(summary.text("cycle_id")).isEqualTo(cycle);
        assertThat(summary.text("status")).isEqualTo("planned");
        assertThat(summary.number("objectives_count").intValue()).isEqualTo(4);
        assertThat(summary.number("progress")).isEqualByComparingTo("0.375");
        assertThat(summary.number("progress"))
                .isEqualByComparingTo(viewer.get("/v1/cycles/" + cycle).number("overall_progress"));
        assertThat(summary.number("expected_progress")).isZero();
        assertThat(summary.data().get("counts"))
                .isEqualTo(tree(object("not_started", 1, "on_track", 2, "at_risk", 1, "behind", 0, "completed", 0)));
        var teams = summary.data().get("teams");
        assertThat(teams).hasSize(3);
        assertThat(teams.get(0).has("team_id")).isFalse();
        assertThat(teams.get(0).get("objectives_count").intValue()).isOne();
        assertThat(teams.get(1).get("team_id").textValue()).isEqualTo(growth.id());
        assertThat(teams.get(1).get("name").textValue()).isEqualTo("Growth");
        assertThat(teams.get(1).get("progress").decimalValue()).isEqualByComparingTo("0.25");
        assertThat(teams.get(1).get("counts").get("on_track").intValue()).isEqualTo(2);
        assertThat(teams.get(2).get("progress").decimalValue()).isEqualByComparingTo(BigDecimal.ONE);
    }

    @Test
    void the_expected_progress_is_the_elapsed_part_of_the_cycle() {
        var now = Instant.now();
        var cycle = admin.post(
                        "/v1/cycles",
                        Requests.with(
                                Requests.uniqueCycle(),
                                "starts_at",
                                now.minus(Duration.ofDays(40)).toString(),
                                "ends_at",
                                now.plus(Duration.ofDays(40)).toString()))
                .id();
        assertThat(viewer.get(path(cycle)).is(200).number("expected_progress"))
                .isBetween(new BigDecimal("0.5"), new BigDecimal("0.5001"));
        assertThat(viewer.get(path(newCompletedCycle())).number("expected_progress"))
                .isEqualByComparingTo("1");
    }

    @Test
    void a_key_result_without_a_check_in_of_the_last_14_days_is_stale() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var never = newKeyResult(objective, 0, 10);
        var longAgo = newKeyResult(objective, 0, 10);
        var recent = newKeyResult(objective, 0, 10);
        var young = newKeyResult(objective, 0, 10);
        checkIn(longAgo, Duration.ofDays(15));
        checkIn(recent, Duration.ofDays(13));
        checkIn(recent, Duration.ofDays(20));
        for (var keyResult : List.of(never, longAgo, recent)) {
            TestDatabase.execute(
                    "UPDATE key_result SET created_at = " + TestDatabase.shifted("created_at", "- interval '30 days'")
                            + " WHERE organization_id = ? AND id = ?",
                    acme.id(),
                    IdKind.KEY_RESULT.require(keyResult));
        }
        assertThat(viewer.get(path(cycle)).number("stale_key_results").intValue())
                .isEqualTo(2);
        newCheckIn(never, 1);
        checkIn(young, Duration.ofDays(30));
        assertThat(viewer.get(path(cycle)).number("stale_key_results").intValue())
                .isOne();
    }

    @Test
    void an_empty_cycle_has_a_summary() {
        var summary = viewer.get(path(newCycle())).is(200);
        assertThat(summary.number("objectives_count")).isZero();
        assertThat(summary.number("progress")).isZero();
        assertThat(summary.data().get("teams")).isEmpty();
    }

    @Test
    void a_cycle_of_another_organisation_is_not_found() {
        organization().admin().get(path(newCycle())).isNotFound();
        admin.get(path("cyc_unknown")).isNotFound();
    }

    private String objective(String cycle, String team, String status) {
        var objective = member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "team_id", team))
                .is(201)
                .id();
        member.put(Paths.objective(objective), object("status", status)).is(200);
        return objective;
    }

    private void checkIn(String keyResult, Duration before) {
        member.post(
                        Paths.checkIns(keyResult),
                        object(
                                "value",
                                1,
                                "recorded_at",
                                Instant.now().minus(before).toString()))
                .is(201);
    }

    private static String path(String cycle) {
        return "/v1/cycles/" + cycle + "/summary";
    }
}
