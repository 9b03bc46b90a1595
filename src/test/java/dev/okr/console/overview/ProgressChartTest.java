package dev.okr.console.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.objectives.overview.ProgressPoint;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** In the chart, time runs from 58 to 516 and progress from 252 to 18. */
class ProgressChartTest {
    private static final Instant START = Instant.parse("2026-10-01T00:00:00Z");
    private static final Instant END = Instant.parse("2026-10-11T00:00:00Z");

    @Test
    void the_curve_connects_its_points() {
        var chart = chart(point(0, "0"), point(5, "0.5"), point(10, "1"));

        assertThat(chart.curve()).isEqualTo("M58 252L287 135L516 18");
        assertThat(chart.area()).isEqualTo("M58 252L287 135L516 18L516 252L58 252Z");
    }

    @Test
    void coordinates_are_rounded_to_a_tenth() {
        assertThat(chart(point(0, "0"), point(1, "0.3333")).curve()).isEqualTo("M58 252L103.8 174");
    }

    @Test
    void the_axes_have_regular_ticks() {
        var chart = chart();

        assertThat(chart.up())
                .containsExactly(
                        new ProgressChart.Mark("252", "0%"),
                        new ProgressChart.Mark("135", "50%"),
                        new ProgressChart.Mark("18", "100%"));
        assertThat(chart.across())
                .containsExactly(
                        new ProgressChart.Mark("58", "1 Oct"),
                        new ProgressChart.Mark("149.6", "3 Oct"),
                        new ProgressChart.Mark("241.2", "5 Oct"),
                        new ProgressChart.Mark("332.8", "7 Oct"),
                        new ProgressChart.Mark("424.4", "9 Oct"),
                        new ProgressChart.Mark("516", "11 Oct"));
    }

    @Test
    void the_first_and_the_last_value_are_described_with_their_days() {
        assertThat(chart(point(0, "0"), point(5, "0.52")).span())
                .isEqualTo("From 0% on 1 Oct 2026 to 52% on 6 Oct 2026.");
        assertThat(chart(point(4, "0.5")).span()).isEqualTo("50% on 5 Oct 2026.");
        assertThat(chart().span()).isNull();
    }

    /** The time axis of such a chart runs from 100 to 516. */
    @Test
    void values_have_an_axis_from_the_lowest_to_the_highest_and_a_line_at_the_target() {
        var chart = values(20, 0, value(0, "20"), value(5, "10"), value(10, "30"));

        assertThat(chart.up())
                .containsExactly(new ProgressChart.Mark("252", "0 h"), new ProgressChart.Mark("18", "30 h"));
        assertThat(chart.across())
                .containsExactly(
                        new ProgressChart.Mark("100", "1 Oct 2026"), new ProgressChart.Mark("516", "11 Oct 2026"));
        assertThat(chart.curve()).isEqualTo("M100 96L308 174L516 18");
        assertThat(chart.guide()).isEqualTo("M100 252L516 252");
        assertThat(chart.present()).isEqualTo(new ProgressChart.Present("516", "18", "30 h", "504", "39", true));
        assertThat(chart.span()).isEqualTo("Check-ins: from 20 h on 1 Oct 2026 to 30 h on 11 Oct 2026.");
    }

    @Test
    void the_label_of_the_last_value_is_above_a_rising_curve_and_below_a_falling_one() {
        assertThat(values(0, 10, value(0, "0"), value(10, "5")).present().labelY())
                .isEqualTo("123");
        assertThat(values(0, 10, value(0, "9"), value(10, "5")).present().labelY())
                .isEqualTo("156");
    }

    @Test
    void values_of_the_same_moment_are_drawn() {
        assertThat(values(0, 10, value(0, "0"), value(0, "5")).curve()).isEqualTo("M100 252L100 135");
    }

    private static ProgressChart values(long start, long target, ProgressChart.Value... values) {
        return ProgressChart.ofValues(
                List.of(values), BigDecimal.valueOf(start), BigDecimal.valueOf(target), value -> value + " h");
    }

    private static ProgressChart.Value value(int day, String value) {
        return new ProgressChart.Value(START.plus(Duration.ofDays(day)), new BigDecimal(value));
    }

    @Test
    void before_the_cycle_starts_there_is_no_curve_and_no_current_progress() {
        var chart = chart();

        assertThat(chart.curve()).isEmpty();
        assertThat(chart.area()).isEmpty();
        assertThat(chart.present()).isNull();
    }

    @Test
    void a_single_point_has_no_curve() {
        var chart = chart(point(4, "0.5"));

        assertThat(chart.curve()).isEmpty();
        assertThat(chart.present()).isEqualTo(new ProgressChart.Present("241.2", "135", "50%", "229.2", "123", true));
    }

    @ParameterizedTest
    @CsvSource({
        // Behind schedule, the label is below and to the left of the point, away from both lines.
        "9, 0.5, 135, 156, true",
        "5, 0.2, 205.2, 226.2, false",
        // Ahead of schedule, the label is above the point.
        "3, 0.8, 64.8, 52.8, true",
        "0, 0.5, 135, 123, false",
        // There is no room above or below.
        "10, 1, 18, 39, true",
        "0, 1, 18, 39, false",
        "5, 0, 252, 240, true",
    })
    void the_label_of_the_current_progress_stays_within_the_chart(
            double day, String progress, String y, String labelY, boolean before) {
        var present = chart(point(0, "0"), point(day, progress)).present();

        assertThat(present.y()).isEqualTo(y);
        assertThat(present.labelY()).isEqualTo(labelY);
        assertThat(present.before()).isEqualTo(before);
        double x = Double.parseDouble(present.labelX());
        assertThat(before ? x - 40 : x + 40).isBetween(0.0, 560.0);
    }

    @Test
    void points_outside_the_cycle_are_drawn_at_its_edge() {
        assertThat(chart(point(-1, "0"), point(11, "1")).curve()).isEqualTo("M58 252L516 18");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-10-01T00:00:00Z, 2027-01-01T00:00:00Z, '1 Oct,1 Nov,1 Dec,1 Jan'",
        "2026-10-01T00:00:00Z, 2026-11-12T00:00:00Z, '1 Oct,15 Oct,29 Oct,12 Nov'",
        "2026-10-01T00:00:00Z, 2026-10-01T12:00:00Z, '1 Oct'",
        "2027-01-31T00:00:00Z, 2027-07-01T00:00:00Z, '31 Jan,28 Feb,31 Mar,30 Apr,31 May,30 Jun'",
        "2026-01-01T00:00:00Z, 2027-01-01T00:00:00Z, '1 Jan,1 Apr,1 Jul,1 Oct,1 Jan'",
        "2026-01-01T00:00:00Z, 2028-01-01T00:00:00Z, 'Jan 2026,Jul 2026,Jan 2027,Jul 2027,Jan 2028'",
        "0001-01-01T00:00:00Z, 9999-12-31T00:00:00Z, 'Jan 0001,Jan 2001,Jan 4001,Jan 6001,Jan 8001'",
    })
    void the_time_axis_has_few_regular_ticks(Instant startsAt, Instant endsAt, String labels) {
        assertThat(TimeAxis.ticks(startsAt, endsAt).stream().map(TimeAxis.Tick::label))
                .containsExactly(labels.split(","));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 7, 13, 30, 31, 60, 91, 182, 365, 366, 1_000, 4_000, 40_000, 400_000, 3_600_000})
    void a_cycle_of_any_length_has_at_least_one_tick_and_at_most_six(int days) {
        var ticks = TimeAxis.ticks(START, START.plus(Duration.ofDays(days)));

        assertThat(ticks).hasSizeBetween(2, TimeAxis.MAX_TICKS);
        assertThat(ticks.getFirst().at()).isEqualTo(START);
        assertThat(IntStream.range(1, ticks.size()))
                .allMatch(i -> ticks.get(i - 1).at().isBefore(ticks.get(i).at()));
    }

    private static ProgressChart chart(ProgressPoint... points) {
        return ProgressChart.of(START, END, List.of(points));
    }

    private static ProgressPoint point(double day, String progress) {
        return new ProgressPoint(START.plus(Duration.ofMinutes(Math.round(day * 24 * 60))), new BigDecimal(progress));
    }
}
