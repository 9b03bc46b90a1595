package dev.okr.objectives;

import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a key result shows of its check-ins.
 *
 * @param confidence null if the last recorded check-in has none
 * @param lastRecordedAt null without check-ins
 */
record KeyResultStanding(
        BigDecimal value,
        @Nullable Integer confidence,
        @Nullable Instant lastRecordedAt) {

    /** The standing after one more check-in. It only changes if this check-in is the last recorded one. */
    KeyResultStanding after(CheckInResponse checkIn) {
        return lastRecordedAt == null || checkIn.recordedAt().isAfter(lastRecordedAt)
                ? new KeyResultStanding(checkIn.value(), checkIn.confidence(), checkIn.recordedAt())
                : this;
    }
}
