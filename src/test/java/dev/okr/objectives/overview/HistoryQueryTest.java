package dev.okr.objectives.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.okr.platform.errors.Failure;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryQueryTest {
    private static final Instant START = Instant.parse("2027-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("2027-04-01T00:00:00Z");
    private static final Instant LATER = Instant.parse("2027-05-01T00:00:00Z");

    @Test
    void each_point_is_the_end_of_an_interval_and_the_last_one_is_the_end_of_the_cycle() {
        var weeks = query(null, null, HistoryInterval.WEEK).moments(START, END, LATER);
        assertThat(weeks.at())
                .hasSize(13)
                .startsWith(Instant.parse("2027-01-08T00:00:00Z"))
                .endsWith(Instant.parse("2027-03-26T00:00:00Z"), END);
        assertThat(weeks.endsAtPresent()).isTrue();
        assertThat(query(null, null, HistoryInterval.DAY)
                        .moments(START, END, LATER)
                        .at())
                .hasSize(90);
        assertThat(query(null, null, HistoryInterval.MONTH)
                        .moments(START, END, LATER)
                        .at())
                .isEqualTo(List.of(Instant.parse("2027-02-01T00:00:00Z"), Instant.parse("2027-03-01T00:00:00Z"), END));
    }

    @Test
    void no_point_is_after_now() {
        var now = Instant.parse("2027-01-10T12:00:00Z");
        var moments = query(null, null, HistoryInterval.WEEK).moments(START, END, now);
        assertThat(moments.at()).isEqualTo(List.of(Instant.parse("2027-01-08T00:00:00Z"), now));
        assertThat(moments.endsAtPresent()).isTrue();
        assertThat(query(null, LATER, HistoryInterval.WEEK)
                        .moments(START, END, now)
                        .endsAtPresent())
                .isTrue();
        assertThat(query(null, null, HistoryInterval.DAY)
                        .moments(START, END, START)
                        .at())
                .isEmpty();
    }

    @Test
    void a_history_that_ends_in_the_past_does_not_show_the_present() {
        var to = Instant.parse("2027-02-01T00:00:00Z");
        var moments = query(null, to, HistoryInterval.DAY).moments(START, END, LATER);
        assertThat(moments.at()).hasSize(31).endsWith(to);
        assertThat(moments.endsAtPresent()).isFalse();
    }

    @Test
    void months_have_different_lengths() {
        var from = Instant.parse("2027-01-31T10:00:00Z");
        var to = Instant.parse("2027-05-01T00:00:00Z");
        assertThat(query(from, to, HistoryInterval.MONTH)
                        .moments(START, END, LATER)
                        .at())
                .isEqualTo(List.of(
                        Instant.parse("2027-02-28T10:00:00Z"),
                        Instant.parse("2027-03-31T10:00:00Z"),
                        Instant.parse("2027-04-30T10:00:00Z"),
                        to));
    }

    @Test
    void a_history_has_at_most_400_points() {
        var to = START.plusSeconds(400 * 86_400L);
        var now = to.plusSeconds(86_400);
        assertThat(query(null, to, HistoryInterval.DAY).moments(START, END, now).at())
                .hasSize(400);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() ->
                        query(null, to.plusNanos(1_000), HistoryInterval.DAY).moments(START, END, now))
                .withMessageContaining("at most 400 points, but this one would have 401");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> query(Instant.parse("0001-01-01T00:00:00Z"), null, HistoryInterval.DAY)
                        .moments(START, END, now))
                .withMessageContaining("at most 400 points");
    }

    @Test
    void without_an_interval_it_is_the_shortest_with_at_most_400_points() {
        var query = query(null, null, null);
        var end = START.plusSeconds(400 * 86_400L);
        assertThat(query.moments(START, end, end).interval()).isEqualTo(HistoryInterval.DAY);
        assertThat(query.moments(START, end.plusSeconds(1), end).interval()).isEqualTo(HistoryInterval.DAY);
        var weeks = query.moments(START, end.plusSeconds(1), LATER.plusSeconds(400 * 86_400L));
        assertThat(weeks.interval()).isEqualTo(HistoryInterval.WEEK);
        assertThat(weeks.at()).hasSize(58).endsWith(end.plusSeconds(1));
        assertThat(query.moments(START, START.plusSeconds(2_801 * 86_400L), Instant.MAX)
                        .interval())
                .isEqualTo(HistoryInterval.MONTH);
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> query.moments(Instant.parse("0001-01-01T00:00:00Z"), END, LATER))
                .withMessageContaining("at most 400 points");
    }

    @Test
    void the_start_must_be_before_the_end() {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> query(END, null, HistoryInterval.DAY).moments(START, END, LATER))
                .withMessageContaining("from must be earlier than the end of the cycle");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> query(END, START, HistoryInterval.DAY).moments(START, END, LATER))
                .withMessageContaining("from must be earlier than to");
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> query(null, START, HistoryInterval.DAY).moments(START, END, LATER))
                .withMessageContaining("to must be later than the start of the cycle");
    }

    private static HistoryQuery query(Instant from, Instant to, HistoryInterval interval) {
        return new HistoryQuery(from, to, interval);
    }
}
