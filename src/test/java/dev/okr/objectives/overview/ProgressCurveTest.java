package dev.okr.objectives.overview;

import static dev.okr.objectives.overview.OverviewData.END;
import static dev.okr.objectives.overview.OverviewData.day;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ProgressCurveTest {
    private final OverviewData acme = new OverviewData();
    private final UUID cycle = acme.cycle();

    @Test
    void in_a_large_cycle_every_nth_objective_is_read() {
        assertThat(ProgressCurve.everyNth(0)).isEqualTo(1);
        assertThat(ProgressCurve.everyNth(ProgressCurve.MAX_OBJECTIVES)).isEqualTo(1);
        assertThat(ProgressCurve.everyNth(ProgressCurve.MAX_OBJECTIVES + 1)).isEqualTo(2);
        assertThat(ProgressCurve.everyNth(100_000)).isEqualTo(50);
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
}
