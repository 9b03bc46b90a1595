package dev.okr.operations.demo;

import dev.okr.objectives.cycles.CycleStatus;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.TextStyle;
import java.util.Locale;

/** The three months of a cycle. */
record DemoPeriod(CycleStatus status, LocalDate firstDay) {
    private static final int MONTHS = 3;

    /** The active cycle. It started at least one month ago and ends in at least one month. */
    static DemoPeriod active(Instant now) {
        var today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        return new DemoPeriod(CycleStatus.ACTIVE, today.withDayOfMonth(1).minusMonths(1));
    }

    static DemoPeriod completed(Instant now) {
        return new DemoPeriod(CycleStatus.COMPLETED, active(now).firstDay.minusMonths(MONTHS));
    }

    static DemoPeriod planned(Instant now) {
        return new DemoPeriod(CycleStatus.PLANNED, active(now).firstDay.plusMonths(MONTHS));
    }

    /** The planned cycle after {@link #planned}, which has no objectives. */
    static DemoPeriod empty(Instant now) {
        return new DemoPeriod(CycleStatus.PLANNED, planned(now).firstDay.plusMonths(MONTHS));
    }

    Instant startsAt() {
        return firstDay.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    Instant endsAt() {
        return firstDay.plusMonths(MONTHS).atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** For example {@code Oct–Dec 2026} or {@code Nov 2026–Jan 2027}. */
    String name() {
        var lastMonth = firstDay.plusMonths(MONTHS - 1);
        var start = firstDay.getYear() == lastMonth.getYear()
                ? month(firstDay)
                : month(firstDay) + " " + firstDay.getYear();
        return start + "–" + month(lastMonth) + " " + lastMonth.getYear();
    }

    private static String month(LocalDate day) {
        return day.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
    }
}
