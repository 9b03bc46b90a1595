package dev.okr.console.week;

import dev.okr.console.ConsolePath;
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
 * @param form null after a check-in was saved
 */
public record CheckInRow(DueKeyResult keyResult, @Nullable CheckInForm form, Instant now) {

    static CheckInRow of(DueKeyResult keyResult, Instant now) {
        var id = IdKind.KEY_RESULT.format(keyResult.id());
        var metric = keyResult.metric();
        var fields = CheckInForm.fields(metric, keyResult.current(), keyResult.version(), now);
        return new CheckInRow(
                keyResult, CheckInForm.of(WeekResource.action(id), id, keyResult.title(), metric, fields), now);
    }

    CheckInRow withFocus() {
        return new CheckInRow(keyResult, form == null ? null : form.withFocus(), now);
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

    /** Whether the check-in was not saved, because the cycle was closed meanwhile. */
    public boolean isClosed() {
        return form != null && keyResult.closed();
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

    String value(BigDecimal value) {
        return Numbers.format(value, keyResult.metric());
    }
}
