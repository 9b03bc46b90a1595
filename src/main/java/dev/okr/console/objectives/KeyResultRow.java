package dev.okr.console.objectives;

import dev.okr.console.Numbers;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.week.CheckInForm;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.overview.KeyResultView;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key result as the page of its objective shows it.
 *
 * @param target null if the value itself shows whether the target is reached
 * @param curve null for fewer than two check-ins
 * @param last null without check-ins
 * @param checkIn the form for a check-in; null if the page has none in this row
 */
public record KeyResultRow(
        String id,
        String title,
        String owner,
        String start,
        String current,
        @Nullable String target,
        String progress,
        int percent,
        @Nullable Sparkline curve,
        @Nullable LastCheckIn last,
        @Nullable CheckInForm checkIn) {

    /** @param note null for none */
    public record LastCheckIn(
            String value,
            Instant at,
            String author,
            @Nullable Integer confidence,
            @Nullable String note) {}

    static KeyResultRow of(KeyResultView keyResult) {
        return of(keyResult, null);
    }

    static KeyResultRow of(KeyResultView keyResult, @Nullable CheckInForm checkIn) {
        var type = keyResult.metricType();
        var last = keyResult.last();
        return new KeyResultRow(
                IdKind.KEY_RESULT.format(keyResult.id()),
                keyResult.title(),
                keyResult.owner(),
                Numbers.format(keyResult.startValue(), type),
                Numbers.format(keyResult.currentValue(), type),
                type == MetricType.BOOLEAN ? null : Numbers.format(keyResult.targetValue(), type),
                OverviewWords.percentage(keyResult.progress()),
                OverviewWords.percent(keyResult.progress()),
                Sparkline.of(keyResult),
                last == null
                        ? null
                        : new LastCheckIn(
                                Numbers.format(last.value(), type),
                                last.at(),
                                last.author(),
                                last.confidence(),
                                last.note()),
                checkIn);
    }
}
