package dev.okr.objectives.overview;

import static dev.okr.objectives.overview.OverviewData.END;
import static dev.okr.objectives.overview.OverviewData.day;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProgressHistoryTest {
    private final OverviewData acme = new OverviewData();
    private final UUID cycle = acme.cycle();

    @Test
    void a_key_result_has_the_value_of_its_last_check_in_before_the_time() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "number", "0", "10", 0.2);
        acme.checkIn(keyResult, "2", 1.5);
        acme.checkIn(keyResult, "6", 3.2);
        acme.checkIn(keyResult, "5", 3.9);

        assertThat(history(6)).containsExactly("0", "0", "0.2", "0.2", "0.5", "0.5");
    }

    @Test
    void a_check_in_at_the_same_time_does_not_count_yet() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0), "number", "0", "10", 0);
        acme.checkIn(keyResult, "5", 2);

        assertThat(history(4)).containsExactly("0", "0", "0", "0.5");
    }

    @Test
    void with_a_target_below_the_start_lower_values_are_progress() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "number", "72", "24", 0.1);
        acme.checkIn(keyResult, "60", 0.5);
        acme.checkIn(keyResult, "36", 1.5);

        assertThat(history(3)).containsExactly("0", "0.25", "0.75");
    }

    @Test
    void the_progress_of_a_boolean_key_result_is_0_or_1() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "boolean", "0", "1", 0.1);
        acme.checkIn(keyResult, "0", 0.5);
        acme.checkIn(keyResult, "1", 2.5);

        assertThat(history(4)).containsExactly("0", "0", "0", "1");
    }

    @Test
    void values_outside_start_and_target_count_as_0_or_1() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "number", "10", "20", 0.1);
        acme.checkIn(keyResult, "25", 0.5);
        acme.checkIn(keyResult, "5", 1.5);

        assertThat(history(3)).containsExactly("0", "1", "0");
    }

    /**
     * The expected values were computed by hand. Day 3 is (0.3333 + 0) / 2. Day 4 is ((0.3333 + 0.5) / 2 + 0) / 2. Day
     * 5 is (0.4167 + 1) / 2.
     */
    @Test
    void each_mean_includes_what_existed_then_and_is_rounded() throws SQLException {
        var first = acme.objective(cycle, 0.1);
        var third = acme.keyResult(first, "number", "0", "3", 0.1);
        acme.checkIn(third, "1", 0.5);
        var second = acme.objective(cycle, 2.5);
        var half = acme.keyResult(first, "percentage", "0", "100", 3.2);
        acme.checkIn(half, "50", 3.3);
        var whole = acme.keyResult(second, "currency", "1000.50", "2000.50", 2.6);
        acme.checkIn(whole, "2000.50", 4.5);

        assertThat(history(6)).containsExactly("0", "0.3333", "0.3333", "0.1667", "0.2084", "0.7084");
    }

    @Test
    void an_objective_without_key_results_counts_as_0() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "number", "0", "10", 0.1);
        acme.checkIn(keyResult, "8", 0.2);
        acme.objective(cycle, 1.5);

        assertThat(history(3)).containsExactly("0", "0.8", "0.4");
    }

    @Test
    void objectives_created_before_the_cycle_count_from_its_start() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, -3), "number", "0", "10", -2);
        acme.checkIn(keyResult, "1", -1);

        assertThat(history(2)).containsExactly("0.1", "0.1");
    }

    @Test
    void imported_check_ins_count_from_the_time_at_which_they_were_recorded() throws SQLException {
        var imported = acme.keyResult(acme.objective(cycle, 3.5), "number", "0", "10", 3.5);
        acme.checkIn(imported, "2", 0.5);
        acme.checkIn(imported, "4", 1.5);

        assertThat(history(5)).containsExactly("0", "0.2", "0.4", "0.4", "0.4");
    }

    @Test
    void key_results_count_with_their_weights() throws SQLException {
        var objective = acme.objective(cycle, 0.1);
        acme.checkIn(acme.keyResult(objective, "number", "0", "10", 0.1), "10", 0.5);
        acme.checkIn(acme.keyResult(objective, "number", "0", "10", 0.1), "0", 0.5);
        MigratedDatabase.execute(
                "UPDATE key_result SET weight = 3 WHERE organization_id = ?"
                        + " AND id = (SELECT key_result_id FROM check_in WHERE organization_id = ? AND value = 10)",
                acme.organization,
                acme.organization);

        assertThat(history(2)).containsExactly("0", "0.75");
        MigratedDatabase.execute("UPDATE key_result SET weight = 0 WHERE organization_id = ?", acme.organization);
        assertThat(history(2)).containsExactly("0", "0");
    }

    @Test
    void the_history_of_an_empty_cycle_is_0() throws SQLException {
        assertThat(history(3)).containsExactly("0", "0", "0");
    }

    @Test
    void other_cycles_and_organisations_do_not_count() throws SQLException {
        var keyResult = acme.keyResult(acme.objective(cycle, 0.1), "number", "0", "10", 0.1);
        acme.checkIn(keyResult, "4", 0.5);
        var elsewhere = acme.keyResult(acme.objective(acme.cycle(), 0.1), "number", "0", "10", 0.1);
        acme.checkIn(elsewhere, "10", 0.5);
        var other = new OverviewData();
        var foreign = other.keyResult(other.objective(other.cycle(), 0.1), "number", "0", "10", 0.1);
        other.checkIn(foreign, "10", 0.5);

        assertThat(history(2)).containsExactly("0", "0.4");
        assertThat(history(new OverviewData().organization, 1, 2)).containsExactly("0", "0");
    }

    @Test
    void in_a_large_cycle_every_nth_objective_is_read() throws SQLException {
        for (int i = 0; i < 9; i++) {
            var keyResult = acme.keyResult(acme.objective(cycle, 0.1 + i * 0.01), "number", "0", "10", 0.3);
            acme.checkIn(keyResult, i % 3 == 0 ? "9" : "0", 0.5);
        }

        assertThat(history(acme.organization, 1, 2)).containsExactly("0", "0.3");
        assertThat(history(acme.organization, 3, 2)).containsExactly("0", "0.9");
        assertThat(ProgressHistory.everyNth(0)).isEqualTo(1);
        assertThat(ProgressHistory.everyNth(ProgressHistory.MAX_OBJECTIVES)).isEqualTo(1);
        assertThat(ProgressHistory.everyNth(ProgressHistory.MAX_OBJECTIVES + 1)).isEqualTo(2);
        assertThat(ProgressHistory.everyNth(100_000)).isEqualTo(50);
    }

    @Test
    void the_last_point_is_the_stored_progress() {
        var keyResult = acme.keyResult(
                acme.objective(cycle, null, "Set by hand", "on_track", "0.75", 0.1), "number", "0", "10", 0.1);
        acme.checkIn(keyResult, "4", 0.5);

        var running = curve(day(2.5));
        assertThat(running).hasSize(4).last().isEqualTo(new ProgressPoint(day(2.5), new BigDecimal("0.7500")));
        assertThat(running.get(2).progress()).isEqualByComparingTo("0.4");
        assertThat(curve(day(400))).hasSize(11).last().isEqualTo(new ProgressPoint(END, new BigDecimal("0.7500")));
        assertThat(curve(day(-1))).isEmpty();
        assertThat(curve(day(0))).hasSize(1);
    }

    private List<ProgressPoint> curve(Instant now) {
        var overview = acme.overviews().read(acme.organization, IdKind.CYCLE.format(cycle), now);
        return overview.orElseThrow().curve().points();
    }

    /** The progress at the start and at the end of each day. */
    private Stream<String> history(int moments) throws SQLException {
        return history(acme.organization, 1, moments);
    }

    private Stream<String> history(UUID organization, long everyNth, int count) throws SQLException {
        var moments = IntStream.range(0, count).mapToObj(OverviewData::day).toList();
        var points = Sql.transaction(
                MigratedDatabase.get(), sql -> ProgressHistory.of(sql, organization, cycle, everyNth, moments));
        assertThat(points).extracting(ProgressPoint::at).isEqualTo(moments);
        return points.stream()
                .map(point -> point.progress().stripTrailingZeros().toPlainString());
    }
}
