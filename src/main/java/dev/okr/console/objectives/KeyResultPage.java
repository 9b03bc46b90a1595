package dev.okr.console.objectives;

import dev.okr.console.FormFields;
import dev.okr.console.Numbers;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.ProgressChart;
import dev.okr.objectives.MetricType;
import dev.okr.objectives.overview.CheckInView;
import dev.okr.objectives.overview.KeyResultDetailView;
import dev.okr.objectives.overview.KeyResultView;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The texts and numbers on the page of a key result.
 *
 * @param row the key result as the page of its objective shows it
 * @param doneOrNot whether its only values are done and not done
 * @param open whether the key result can change
 * @param chart the last check-ins over time; null for fewer than two check-ins
 */
public record KeyResultPage(
        KeyResultRow row,
        String weight,
        boolean doneOrNot,
        String objectiveId,
        String objective,
        String cycleId,
        String cycle,
        String dates,
        boolean open,
        @Nullable ProgressChart chart,
        List<CheckIn> checkIns) {

    /** @param editable whether the user may correct and delete it */
    public record CheckIn(
            String id,
            String value,
            Instant recordedAt,
            String author,
            @Nullable Integer confidence,
            @Nullable String note,
            boolean editable) {}

    /** @param user the user of the page; admins may edit all check-ins */
    static KeyResultPage of(KeyResultDetailView view, List<CheckInView> checkIns, UUID user, boolean admin) {
        var keyResult = view.keyResult();
        boolean open = !view.cycle().isClosed();
        return new KeyResultPage(
                KeyResultRow.of(keyResult),
                FormFields.plain(keyResult.weight()),
                keyResult.metricType() == MetricType.BOOLEAN,
                IdKind.OBJECTIVE.format(view.objectiveId()),
                view.objective(),
                IdKind.CYCLE.format(view.cycle().id()),
                view.cycle().name(),
                OverviewWords.days(view.cycle().startsAt(), view.cycle().endsAt()),
                open,
                chart(keyResult),
                checkIns.stream()
                        .map(each -> new CheckIn(
                                IdKind.CHECK_IN.format(each.id()),
                                Numbers.format(each.value(), keyResult.metricType()),
                                each.recordedAt(),
                                each.author(),
                                each.confidence(),
                                each.note(),
                                open && (admin || each.authorId().equals(user))))
                        .toList());
    }

    public String chartTitle() {
        return "Check-ins of %s over time".formatted(row.title());
    }

    private static @Nullable ProgressChart chart(KeyResultView keyResult) {
        if (keyResult.past().size() < 2) {
            return null;
        }
        return ProgressChart.ofValues(
                keyResult.past().stream()
                        .map(each -> new ProgressChart.Value(each.at(), each.value()))
                        .toList(),
                keyResult.startValue(),
                keyResult.targetValue(),
                value -> Numbers.format(value, keyResult.metricType()));
    }
}
