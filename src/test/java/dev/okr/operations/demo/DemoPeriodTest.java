package dev.okr.operations.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoPeriodTest {

    @ParameterizedTest
    @CsvSource({
        "2026-11-21T12:00:00Z, Jul–Sep 2026, Oct–Dec 2026, Jan–Mar 2027",
        "2026-12-01T00:00:00Z, Aug–Oct 2026, Nov 2026–Jan 2027, Feb–Apr 2027",
        "2026-01-31T23:59:59Z, Sep–Nov 2025, Dec 2025–Feb 2026, Mar–May 2026",
    })
    void three_consecutive_cycles_surround_any_day(Instant now, String completed, String active, String planned) {
        assertThat(DemoPeriod.completed(now).name()).isEqualTo(completed);
        assertThat(DemoPeriod.active(now).name()).isEqualTo(active);
        assertThat(DemoPeriod.planned(now).name()).isEqualTo(planned);
        assertThat(DemoPeriod.completed(now).endsAt())
                .isEqualTo(DemoPeriod.active(now).startsAt())
                .isBefore(now);
        assertThat(DemoPeriod.active(now).endsAt())
                .isEqualTo(DemoPeriod.planned(now).startsAt())
                .isAfter(now);
    }
}
