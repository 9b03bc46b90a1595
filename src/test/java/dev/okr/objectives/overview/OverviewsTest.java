package dev.okr.objectives.overview;

import static dev.okr.objectives.ObjectiveStatus.AT_RISK;
import static dev.okr.objectives.ObjectiveStatus.BEHIND;
import static dev.okr.objectives.ObjectiveStatus.ON_TRACK;
import static dev.okr.objectives.overview.OverviewData.END;
import static dev.okr.objectives.overview.OverviewData.START;
import static dev.okr.objectives.overview.OverviewData.day;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OverviewsTest {
    private final OverviewData acme = new OverviewData();

    @Test
    void an_organisation_without_cycles_has_no_overview() {
        new OverviewData().cycle();

        assertThat(acme.overviews().read(acme.organization, null, day(1))).isEmpty();
    }

    @Test
    void the_default_is_the_active_cycle_that_ends_first() {
        acme.cycle("Later", "active", START, END.plusSeconds(1));
        acme.cycle("Sooner", "active", START, END);
        acme.cycle("Planned", "planned", START, END.minusSeconds(1));

        assertThat(overview().cycle().name()).isEqualTo("Sooner");
        assertThat(overview().choices()).extracting(CycleChoice::name).containsExactly("Sooner", "Later", "Planned");
    }

    @Test
    void without_an_active_cycle_the_default_is_the_next_planned_or_the_last_completed_one() {
        acme.cycle("Long ago", "completed", day(-40), day(-30));
        acme.cycle("Before", "completed", day(-20), day(-10));
        assertThat(overview().cycle().name()).isEqualTo("Before");

        acme.cycle("Far", "planned", day(30), day(40));
        acme.cycle("Near", "planned", day(20), day(50));
        assertThat(overview().cycle().name()).isEqualTo("Near");
        assertThat(overview().curve().points()).isEmpty();
    }

    @Test
    void any_other_cycle_can_be_asked_for() {
        for (int i = 0; i < CycleChoice.MAX_CYCLES_PER_STATUS; i++) {
            acme.cycle("Recent", "completed", day(-20), day(-10));
        }
        var old = acme.cycle("Old", "completed", day(-400), day(-300));

        assertThat(overview().choices()).hasSize(CycleChoice.MAX_CYCLES_PER_STATUS);
        var asked = overview(old);
        assertThat(asked.cycle().name()).isEqualTo("Old");
        assertThat(asked.asked()).isTrue();
        assertThat(asked.choices())
                .hasSize(CycleChoice.MAX_CYCLES_PER_STATUS + 1)
                .contains(asked.cycle());
    }

    @Test
    void the_cycle_of_another_organisation_is_unknown() {
        var other = new OverviewData();
        var foreign = IdKind.CYCLE.format(other.cycle());

        assertThatThrownBy(() -> acme.overviews().read(acme.organization, foreign, day(1)))
                .isInstanceOf(Failure.class);
        assertThatThrownBy(() -> acme.overviews().read(acme.organization, "nonsense", day(1)))
                .isInstanceOf(Failure.class);
    }

    @Test
    void an_empty_cycle_has_no_teams_and_no_progress() {
        acme.team("Growth");
        acme.cycle();

        var overview = overview();
        assertThat(overview.standing().objectives()).isZero();
        assertThat(overview.standing().progress()).isZero();
        assertThat(overview.teams()).isEmpty();
        assertThat(overview.moreTeams()).isZero();
    }

    @Test
    void teams_are_ordered_by_name_after_the_objectives_without_a_team() {
        var cycle = acme.cycle();
        var support = acme.team("Support");
        var growth = acme.team("Growth");
        acme.objective(cycle, support, "Answer", "behind", "0.2", 1);
        acme.objective(cycle, growth, "Sell", "on_track", "0.5", 1);
        acme.objective(cycle, growth, "Sell more", "at_risk", "0.25", 1);
        acme.objective(cycle, null, "Live", "on_track", "1", 1);
        acme.objective(acme.cycle("Other", "completed", START, END), growth, "Elsewhere", "behind", "0", 1);
        var other = new OverviewData();
        other.objective(other.cycle(), null, "Foreign", "behind", "0", 1);

        var overview = overview();
        assertThat(overview.standing().objectives()).isEqualTo(4);
        assertThat(overview.standing().progress()).isEqualByComparingTo("0.4875");
        assertThat(overview.standing().count(ON_TRACK)).isEqualTo(2);
        assertThat(overview.teams()).extracting(TeamOverview::name).containsExactly(null, "Growth", "Support");
        var second = overview.teams().get(1);
        assertThat(second.standing().progress()).isEqualByComparingTo("0.375");
        assertThat(second.standing().count(AT_RISK)).isEqualTo(1);
        assertThat(second.standing().count(BEHIND)).isZero();
        assertThat(second.objectives()).extracting(ObjectiveLine::title).containsExactly("Sell more", "Sell");
        assertThat(second.objectives().getFirst().owner()).isEqualTo("Ada Lovelace");
    }

    @Test
    void the_most_urgent_objectives_are_shown_and_the_others_are_counted() {
        var cycle = acme.cycle();
        for (int i = 0; i < Attention.MAX_OBJECTIVES_PER_TEAM; i++) {
            acme.objective(cycle, null, "Fine", "on_track", "0.1", 1);
        }
        acme.objective(cycle, null, "Done", "completed", "0", 1);
        acme.objective(cycle, null, "Not begun", "not_started", "0", 1);
        acme.objective(cycle, null, "In danger", "at_risk", "0", 1);
        acme.objective(cycle, null, "Late", "behind", "0.9", 1);
        acme.objective(cycle, null, "Later", "behind", "0.8", 1);

        var team = overview().teams().getFirst();
        assertThat(team.objectives())
                .hasSize(Attention.MAX_OBJECTIVES_PER_TEAM)
                .extracting(ObjectiveLine::title)
                .startsWith("Later", "Late", "In danger", "Not begun", "Fine")
                .doesNotContain("Done");
        assertThat(team.moreObjectives()).isEqualTo(5);
    }

    @Test
    void teams_beyond_the_limit_are_only_counted() {
        var cycle = acme.cycle();
        for (int i = 0; i <= Overviews.MAX_TEAMS; i++) {
            acme.objective(cycle, acme.team("Team %03d".formatted(i)), "Any", "on_track", "0", 1);
        }
        acme.objective(cycle, null, "Of no team", "on_track", "0", 1);

        var overview = overview();
        assertThat(overview.teams()).hasSize(Overviews.MAX_TEAMS).first().matches(team -> team.name() == null);
        assertThat(overview.teams()).allMatch(team -> team.objectives().size() == 1);
        assertThat(overview.moreTeams()).isEqualTo(2);
    }

    @Test
    void with_many_teams_each_one_shows_fewer_objectives() {
        var cycle = acme.cycle();
        for (int i = 0; i < Overviews.MAX_TEAMS; i++) {
            var team = acme.team("Team %03d".formatted(i));
            for (int j = 0; j <= Attention.MIN_OBJECTIVES_PER_TEAM; j++) {
                acme.objective(cycle, team, "Any", "on_track", "0", 1);
            }
        }

        assertThat(overview().teams()).allSatisfy(team -> {
            assertThat(team.objectives()).hasSize(Attention.MIN_OBJECTIVES_PER_TEAM);
            assertThat(team.moreObjectives()).isEqualTo(1);
        });
    }

    @Test
    void a_long_cycle_has_at_most_the_maximum_number_of_points() {
        var decade = acme.cycle("Decade", "active", START, START.plus(Duration.ofDays(3_653)));
        var points = acme.overviews()
                .read(acme.organization, IdKind.CYCLE.format(decade), START.plus(Duration.ofDays(5_000)))
                .orElseThrow()
                .curve()
                .points();

        assertThat(points).hasSizeBetween(ProgressCurve.MAX_DAYS_SHOWN, ProgressCurve.MAX_DAYS_SHOWN + 2);
        assertThat(points.getLast().at()).isEqualTo(START.plus(Duration.ofDays(3_653)));
    }

    @Test
    void a_history_that_takes_too_long_is_left_out() throws SQLException {
        acme.objective(acme.cycle(), null, "Grow", "on_track", "0.5", 1);

        try (var connection = MigratedDatabase.get().getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE check_in IN ACCESS EXCLUSIVE MODE");

            var overview = overview();
            assertThat(overview.standing().objectives()).isEqualTo(1);
            assertThat(overview.curve().complete()).isFalse();
            assertThat(overview.curve().points()).containsExactly(new ProgressPoint(day(5), new BigDecimal("0.5000")));
        }
        assertThat(overview().curve().complete()).isTrue();
    }

    private CycleOverview overview() {
        return acme.overviews().read(acme.organization, null, day(5)).orElseThrow();
    }

    private CycleOverview overview(UUID cycle) {
        return acme.overviews()
                .read(acme.organization, IdKind.CYCLE.format(cycle), day(5))
                .orElseThrow();
    }
}
