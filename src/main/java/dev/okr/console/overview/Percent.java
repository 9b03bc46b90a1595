package dev.okr.console.overview;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Fractions as people read them. */
final class Percent {
    private Percent() {}

    /** Whole percents. What is not quite done never reads as done, nor what has begun as nothing. */
    static int of(BigDecimal fraction) {
        int rounded =
                fraction.movePointRight(2).setScale(0, RoundingMode.HALF_UP).intValueExact();
        if (rounded == 100 && fraction.compareTo(BigDecimal.ONE) < 0) {
            return 99;
        }
        return rounded == 0 && fraction.signum() > 0 ? 1 : rounded;
    }

    static int of(double fraction) {
        return of(BigDecimal.valueOf(fraction));
    }

    static String text(BigDecimal fraction) {
        return of(fraction) + "%";
    }

    static String text(double fraction) {
        return of(fraction) + "%";
    }
}
