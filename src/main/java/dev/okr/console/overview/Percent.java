package dev.okr.console.overview;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Formats fractions as percentages. */
final class Percent {
    private Percent() {}

    /** Rounds to whole percent. Only 1 is shown as 100%, and only 0 as 0%. */
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
