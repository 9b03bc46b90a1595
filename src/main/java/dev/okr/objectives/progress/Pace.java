package dev.okr.objectives.progress;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;

/** Calculates the progress that is expected at a time. It is the elapsed part of the cycle. */
public final class Pace {
    private Pace() {}

    /** A fraction from 0 to 1. 0 before the cycle starts, and 1 after it has ended. */
    public static BigDecimal expected(Instant startsAt, Instant endsAt, Instant now) {
        if (!now.isAfter(startsAt)) {
            return BigDecimal.ZERO;
        }
        if (!now.isBefore(endsAt)) {
            return BigDecimal.ONE;
        }
        return micros(startsAt, now).divide(micros(startsAt, endsAt), Progress.DECIMALS, RoundingMode.HALF_UP);
    }

    private static BigDecimal micros(Instant from, Instant to) {
        var duration = Duration.between(from, to);
        return BigDecimal.valueOf(duration.toSeconds() * 1_000_000 + duration.toNanosPart() / 1_000);
    }
}
