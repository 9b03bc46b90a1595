package dev.okr.console.objectives;

import dev.okr.console.FormFields;
import dev.okr.console.Option;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.ProgressChart;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.explanation.ProgressExplanation;
import dev.okr.objectives.overview.ObjectiveView;
import dev.okr.objectives.overview.ProgressCurve;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The texts and numbers on the page of an objective.
 *
 * @param closedOn the day on which its cycle was closed; null while it is open
 * @param pace the progress against the expected one, in a sentence
 * @param expectedX where the expected progress is on a bar of 100; null if it is not shown
 * @param suggested the suggested status; null if it is the present one, or if the cycle has not started or is closed
 */
public record ObjectivePage(
        String id,
        String title,
        @Nullable String description,
        String status,
        String statusLabel,
        String owner,
        @Nullable String teamId,
        @Nullable String team,
        String cycleId,
        String cycle,
        String dates,
        @Nullable String closedOn,
        @Nullable String score,
        @Nullable String retrospective,
        @Nullable Source carriedOverFrom,
        String progress,
        int percent,
        @Nullable String expectedX,
        String pace,
        @Nullable Option suggested,
        ProgressChart chart,
        boolean historyComplete,
        List<OverviewWords.HistoryRow> history,
        ContributionBars contributions,
        List<String> reasons,
        List<KeyResultRow> keyResults,
        AlignmentTree alignments) {

    public String chartTitle() {
        return OverviewWords.chartTitle(title);
    }

    /** @param title null if the objective is deleted */
    public record Source(String id, @Nullable String title) {}

    /** @param keyResults the key results of the objective, with their forms */
    static ObjectivePage of(
            ObjectiveView objective,
            ProgressExplanation explanation,
            ProgressCurve curve,
            List<KeyResultRow> keyResults,
            Instant now) {
        var cycle = objective.cycle();
        var source = objective.carriedOverFrom();
        var closedAt = cycle.closedAt();
        boolean hasBegun = !now.isBefore(cycle.startsAt()) && closedAt == null;
        var suggested = explanation.suggestedStatus();
        return new ObjectivePage(
                IdKind.OBJECTIVE.format(objective.id()),
                objective.title(),
                objective.description(),
                EnumNames.format(objective.status()),
                StatusShare.label(objective.status()),
                objective.owner(),
                objective.teamId() == null ? null : IdKind.TEAM.format(objective.teamId()),
                objective.team(),
                IdKind.CYCLE.format(cycle.id()),
                cycle.name(),
                OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                closedAt == null ? null : OverviewWords.day(closedAt),
                objective.score() == null ? null : FormFields.plain(objective.score()),
                objective.retrospective(),
                source == null ? null : new Source(IdKind.OBJECTIVE.format(source.id()), source.title()),
                OverviewWords.percentage(objective.progress()),
                OverviewWords.percent(objective.progress()),
                hasBegun ? FormFields.plain(explanation.expectedProgress().movePointRight(2)) : null,
                pace(objective, explanation.expectedProgress(), now),
                closedAt != null || suggested == objective.status() || !hasBegun
                        ? null
                        : new Option(EnumNames.format(suggested), StatusShare.label(suggested), ""),
                ProgressChart.of(cycle.startsAt(), cycle.endsAt(), curve.points()),
                curve.complete(),
                OverviewWords.history(cycle, now, curve.points()),
                ContributionBars.of(explanation),
                explanation.reasons(),
                keyResults,
                AlignmentTree.of(objective));
    }

    private static String pace(ObjectiveView objective, BigDecimal expected, Instant now) {
        var cycle = objective.cycle();
        var progress = OverviewWords.percentage(objective.progress());
        if (cycle.closedAt() != null) {
            return "Final result: %s.".formatted(progress);
        }
        if (now.isBefore(cycle.startsAt())) {
            return "The cycle starts on %s.".formatted(OverviewWords.day(cycle.startsAt()));
        }
        if (!now.isBefore(cycle.endsAt())) {
            return "The cycle ended on %s with a progress of %s."
                    .formatted(OverviewWords.dayEndingAt(cycle.endsAt()), progress);
        }
        return "Progress is %s, %s.".formatted(progress, OverviewWords.pace(objective.progress(), expected));
    }
}
