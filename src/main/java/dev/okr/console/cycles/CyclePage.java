package dev.okr.console.cycles;

import dev.okr.console.FormFields;
import dev.okr.console.overview.OverviewWords;
import dev.okr.objectives.cycles.CycleResponse;
import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.objectives.overview.OpenKeyResult;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The page that leads an admin through the end of a cycle.
 *
 * @param closedOn null while the cycle is open
 * @param ended whether the cycle can be closed
 * @param more whether more key results are below their target
 */
public record CyclePage(
        String id,
        String name,
        String dates,
        String endsOn,
        boolean ended,
        @Nullable String closedOn,
        String progress,
        long objectives,
        List<KeyResult> keyResults,
        boolean more,
        long scored,
        List<Score> scores) {

    static final int MAX_SHOWN = 50;

    public record KeyResult(String id, String title, String objective, String owner, String progress) {}

    /** An objective with its review. The old values are those that the form shows. */
    public record Score(String id, String title, String owner, String progress, String score, String retrospective) {}

    /** The number of the current step: key results, scores, closing, or carrying over. */
    public int step() {
        if (closedOn != null) {
            return 4;
        }
        if (!ended || !keyResults.isEmpty() && scored == 0) {
            return 1;
        }
        return scored < objectives ? 2 : 3;
    }

    static CyclePage of(CycleResponse cycle, List<OpenKeyResult> keyResults, CycleObjective.Scores scores) {
        var closedAt = cycle.closedAt();
        var finalProgress = cycle.finalProgress();
        return new CyclePage(
                cycle.id(),
                cycle.name(),
                OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                OverviewWords.dayEndingAt(cycle.endsAt()),
                cycle.status() == CycleStatus.COMPLETED,
                closedAt == null ? null : OverviewWords.day(closedAt),
                OverviewWords.percentage(finalProgress == null ? cycle.overallProgress() : finalProgress),
                cycle.objectivesCount(),
                keyResults.stream().limit(MAX_SHOWN).map(CyclePage::keyResult).toList(),
                keyResults.size() > MAX_SHOWN,
                scores.scored(),
                scores.objectives().stream().map(CyclePage::score).toList());
    }

    private static KeyResult keyResult(OpenKeyResult keyResult) {
        return new KeyResult(
                IdKind.KEY_RESULT.format(keyResult.id()),
                keyResult.title(),
                keyResult.objective(),
                keyResult.owner(),
                OverviewWords.percentage(keyResult.progress()));
    }

    private static Score score(CycleObjective objective) {
        var score = objective.score();
        var retrospective = objective.retrospective();
        return new Score(
                IdKind.OBJECTIVE.format(objective.id()),
                objective.title(),
                objective.owner(),
                OverviewWords.percentage(objective.progress()),
                score == null ? "" : FormFields.plain(score),
                retrospective == null ? "" : retrospective);
    }
}
