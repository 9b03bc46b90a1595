package dev.okr.console.overview;

import static dev.okr.objectives.overview.OverviewData.END;
import static dev.okr.objectives.overview.OverviewData.START;
import static dev.okr.objectives.overview.OverviewData.day;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.ObjectiveStatus;
import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleOverview;
import dev.okr.objectives.overview.ProgressCurve;
import dev.okr.objectives.overview.ProgressPoint;
import dev.okr.objectives.overview.Standing;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverviewPageTest {
    private static final Standing STANDING = new Standing(
            8,
            new BigDecimal("0.4200"),
            Map.of(ObjectiveStatus.ON_TRACK, 3L, ObjectiveStatus.BEHIND, 4L, ObjectiveStatus.COMPLETED, 1L));

    @ParameterizedTest
    @CsvSource({"0,0", "0.0001,1", "0.004,1", "0.125,13", "0.5,50", "0.994,99", "0.9999,99", "1,100"})
    void percentages_are_whole_and_reach_0_and_100_only_exactly(BigDecimal fraction, int percent) {
        assertThat(OverviewWords.percent(fraction)).isEqualTo(percent);
    }

    @Test
    void the_summary_compares_progress_with_time() {
        assertThat(summary(day(4.2))).isEqualTo("Progress is 42% after 42% of the time, exactly at a steady pace.");
        assertThat(summary(day(4.1)))
                .isEqualTo("Progress is 42% after 41% of the time, 1 point ahead of a steady pace.");
        assertThat(summary(day(6))).isEqualTo("Progress is 42% after 60% of the time, 18 points behind a steady pace.");
        assertThat(summary(day(-1))).isEqualTo("It starts on 1 Oct 2026.");
        assertThat(summary(END)).isEqualTo("It ended on 10 Oct 2026 with a progress of 42%.");
    }

    @Test
    void the_page_explains_why_it_shows_a_cycle_that_is_not_active() {
        assertThat(page(CycleStatus.ACTIVE, false).remark()).isNull();
        assertThat(page(CycleStatus.PLANNED, false).remark()).contains("No cycle is active", "next cycle");
        assertThat(page(CycleStatus.COMPLETED, false).remark()).contains("active or planned", "last cycle that ended");
        assertThat(page(CycleStatus.COMPLETED, true).remark()).isNull();
    }

    @Test
    void cycles_of_the_same_name_are_told_apart_by_their_dates() {
        var first = new CycleChoice(UUID.randomUUID(), "Q4", CycleStatus.ACTIVE, START, END, null, null);
        var second = new CycleChoice(UUID.randomUUID(), "q4", CycleStatus.PLANNED, day(20), day(30), null, null);
        var other = new CycleChoice(UUID.randomUUID(), "Q1", CycleStatus.PLANNED, day(20), day(30), null, null);
        var overview = new CycleOverview(
                START,
                true,
                first,
                List.of(first, second, other),
                STANDING,
                List.of(),
                0,
                0,
                new ProgressCurve(List.of(), 1, true));
        assertThat(OverviewPage.of(overview).options())
                .extracting(OverviewPage.Option::label)
                .containsExactly(
                        "Q4 (1 Oct – 10 Oct 2026, active)", "q4 (21 Oct – 30 Oct 2026, planned)", "Q1 (planned)");
    }

    @Test
    void the_page_explains_the_limits_of_the_curve() {
        var point = new ProgressPoint(START, BigDecimal.ZERO);
        assertThat(remark(new ProgressCurve(List.of(point), 1, true))).isNull();
        assertThat(remark(new ProgressCurve(List.of(point), 20, true))).contains("one of every 20 objectives");
        assertThat(remark(new ProgressCurve(List.of(point), 20, false))).contains("could not be read in time");
        assertThat(remark(new ProgressCurve(List.of(), 1, false))).isNull();
    }

    @Test
    void the_status_bar_has_no_gaps_and_one_segment_for_each_status() {
        var shares = StatusShare.of(STANDING);

        assertThat(shares)
                .containsExactly(
                        new StatusShare("completed", "Completed", 1, 0, 12.5),
                        new StatusShare("on_track", "On track", 3, 12.5, 37.5),
                        new StatusShare("behind", "Behind", 4, 50, 50));
        assertThat(StatusShare.of(new Standing(0, BigDecimal.ZERO, Map.of()))).isEmpty();
    }

    @Test
    void the_table_names_the_day_of_each_point() {
        var curve = new ProgressCurve(
                List.of(
                        new ProgressPoint(START, BigDecimal.ZERO),
                        new ProgressPoint(day(1), new BigDecimal("0.1")),
                        new ProgressPoint(day(1.5), new BigDecimal("0.2"))),
                1,
                true);

        assertThat(OverviewPage.of(overview(CycleStatus.ACTIVE, true, day(1.5), curve))
                        .rows())
                .containsExactly(
                        new OverviewWords.HistoryRow("Start, 1 Oct 2026", "0%", "0%"),
                        new OverviewWords.HistoryRow("End of 1 Oct 2026", "10%", "10%"),
                        new OverviewWords.HistoryRow("2 Oct 2026, now", "20%", "15%"));
    }

    @ParameterizedTest
    @CsvSource({
        "2026-10-01T00:00:00Z, 2027-01-01T00:00:00Z, 1 Oct – 31 Dec 2026",
        "2026-12-01T00:00:00Z, 2027-02-01T00:00:00Z, 1 Dec 2026 – 31 Jan 2027",
        "2026-12-01T08:00:00Z, 2026-12-01T09:00:00Z, 1 Dec 2026",
    })
    void the_last_day_is_the_one_before_the_end(Instant startsAt, Instant endsAt, String dates) {
        assertThat(OverviewWords.days(startsAt, endsAt)).isEqualTo(dates);
    }

    private static String summary(Instant now) {
        return OverviewPage.of(overview(CycleStatus.ACTIVE, false, now, new ProgressCurve(List.of(), 1, true)))
                .summary();
    }

    private static String remark(ProgressCurve curve) {
        return OverviewPage.of(overview(CycleStatus.ACTIVE, false, day(1), curve))
                .historyRemark();
    }

    private static OverviewPage page(CycleStatus status, boolean asked) {
        return OverviewPage.of(overview(status, asked, day(1), new ProgressCurve(List.of(), 1, true)));
    }

    private static CycleOverview overview(CycleStatus status, boolean asked, Instant now, ProgressCurve curve) {
        var cycle = new CycleChoice(UUID.randomUUID(), "Ten days", status, START, END, null, null);
        return new CycleOverview(now, asked, cycle, List.of(cycle), STANDING, List.of(), 0, 0, curve);
    }
}
