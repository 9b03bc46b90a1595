package dev.okr.console.week;

import dev.okr.console.ConsolePath;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.overview.OwnObjective;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;

/**
 * An objective on the start page, with its progress and the expected one.
 *
 * @param points the distance to the expected progress in percentage points; negative if it is behind
 * @param pace the same in words
 */
public record OwnObjectiveRow(
        String address,
        String title,
        String cycle,
        String status,
        String statusLabel,
        String progress,
        int percent,
        String expected,
        int expectedPercent,
        long points,
        String pace) {

    static OwnObjectiveRow of(OwnObjective objective, Instant now) {
        var expected = objective.expected(now);
        return new OwnObjectiveRow(
                ConsolePath.objective(IdKind.OBJECTIVE.format(objective.id())),
                objective.title(),
                objective.cycle(),
                EnumNames.format(objective.status()),
                StatusShare.label(objective.status()),
                OverviewWords.percentage(objective.progress()),
                OverviewWords.percent(objective.progress()),
                OverviewWords.percentage(expected),
                OverviewWords.percent(expected),
                WeekWords.points(objective.progress(), expected),
                WeekWords.pace(objective.progress(), expected));
    }
}
