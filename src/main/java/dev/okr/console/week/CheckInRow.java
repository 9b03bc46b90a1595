package dev.okr.console.week;

import dev.okr.console.ConsolePath;
import dev.okr.console.Form;
import dev.okr.console.Numbers;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.overview.DueKeyResult;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key result on the start page, with the form for a check-in.
 *
 * @param form the fields of the check-in, with their errors
 * @param conflict what somebody else recorded meanwhile; null if nothing
 * @param saved whether a check-in was just saved
 * @param focused whether the field for the value has the focus when the page opens
 */
public record CheckInRow(
        DueKeyResult keyResult,
        Form form,
        Instant now,
        @Nullable Conflict conflict,
        boolean saved,
        boolean focused) {

    /**
     * The check-in that the user of the form has not seen.
     *
     * @param author the name of its author; null if the value was set without a check-in
     * @param yours the value in the form
     */
    public record Conflict(
            @Nullable String author, String value, @Nullable String note, String yours) {}

    static CheckInRow of(DueKeyResult keyResult, Form form, Instant now) {
        return new CheckInRow(keyResult, form, now, null, false, false);
    }

    CheckInRow with(Conflict other) {
        return new CheckInRow(keyResult, form, now, other, false, focused);
    }

    CheckInRow afterSaving() {
        return new CheckInRow(keyResult, form, now, null, true, false);
    }

    CheckInRow withFocus() {
        return new CheckInRow(keyResult, form, now, conflict, saved, true);
    }

    public String id() {
        return IdKind.KEY_RESULT.format(keyResult.id());
    }

    public String title() {
        return keyResult.title();
    }

    public String address() {
        return ConsolePath.keyResult(id());
    }

    String objectiveId() {
        return IdKind.OBJECTIVE.format(keyResult.objectiveId());
    }

    public String current() {
        return value(keyResult.current());
    }

    public String target() {
        return value(keyResult.target());
    }

    public String progress() {
        return OverviewWords.percentage(keyResult.progress());
    }

    public int percent() {
        return OverviewWords.percent(keyResult.progress());
    }

    /** When the last check-in was recorded. Null if there is none. */
    public @Nullable Instant last() {
        var last = keyResult.last();
        return last == null ? null : last.recordedAt();
    }

    /** The same, as {@code 9 days ago}. */
    public String ago() {
        var last = last();
        return last == null ? "" : WeekWords.ago(last, now);
    }

    /** Whether the value is done or not done instead of a number. */
    public boolean isDoneOrNot() {
        return keyResult.metric() == MetricType.BOOLEAN;
    }

    public boolean isPercentage() {
        return keyResult.metric() == MetricType.PERCENTAGE;
    }

    String value(BigDecimal value) {
        return Numbers.format(value, keyResult.metric());
    }
}
