package dev.okr.console.overview;

import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleOverview;
import dev.okr.objectives.overview.ObjectiveLine;
import dev.okr.objectives.overview.ProgressPoint;
import dev.okr.objectives.overview.TeamOverview;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The texts and numbers on the overview page of a cycle.
 *
 * @param remark why this cycle is shown; null if it was requested or is active
 * @param summary the state of the cycle in a sentence
 * @param historyRemark what the curve does not show; null if it is complete
 */
public record OverviewPage(
        String cycle,
        String dates,
        String status,
        @Nullable String remark,
        List<Option> options,
        String summary,
        String progress,
        int percent,
        long objectives,
        List<StatusShare> shares,
        ProgressChart chart,
        @Nullable String historyRemark,
        List<Row> rows,
        List<TeamSection> teams,
        long moreTeams) {

    /** A cycle in the selection. */
    public record Option(String id, String label, boolean selected) {}

    /** A row of the table that repeats the chart in numbers. */
    public record Row(String day, String progress, String steady) {}

    /** The objectives of a team, or those without a team. */
    public record TeamSection(
            String name, String progress, int percent, List<StatusShare> shares, List<Line> lines, long more) {}

    public record Line(String title, String owner, String progress, int percent, String status, String statusLabel) {}

    /** The objectives without a team come last. */
    public static OverviewPage of(CycleOverview overview) {
        var cycle = overview.cycle();
        var standing = overview.standing();
        var points = overview.curve().points();
        return new OverviewPage(
                cycle.name(),
                OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                EnumNames.format(cycle.status()),
                OverviewWords.remark(overview),
                overview.choices().stream()
                        .map(choice -> option(choice, overview.choices(), choice.equals(cycle)))
                        .toList(),
                OverviewWords.summary(overview),
                OverviewWords.percentage(standing.progress()),
                OverviewWords.percent(standing.progress()),
                standing.objectives(),
                StatusShare.of(standing),
                ProgressChart.of(cycle.startsAt(), cycle.endsAt(), points),
                OverviewWords.historyRemark(overview),
                IntStream.range(0, points.size())
                        .mapToObj(i -> row(cycle, overview.at(), points.get(i)))
                        .toList(),
                overview.teams().stream()
                        .sorted(Comparator.comparing(team -> team.name() == null))
                        .map(OverviewPage::section)
                        .toList(),
                overview.moreTeams());
    }

    /** Cycles of earlier versions can have the same name. Their dates tell them apart. */
    private static Option option(CycleChoice choice, List<CycleChoice> all, boolean selected) {
        boolean unique = all.stream()
                        .filter(other -> other.name().equalsIgnoreCase(choice.name()))
                        .count()
                == 1;
        var dates = unique ? "" : OverviewWords.days(choice.startsAt(), choice.endsAt()) + ", ";
        var label = choice.name() + " (" + dates + EnumNames.format(choice.status()) + ")";
        return new Option(IdKind.CYCLE.format(choice.id()), label, selected);
    }

    private static Row row(CycleChoice cycle, Instant now, ProgressPoint point) {
        var at = point.at();
        var day = at.equals(now) ? OverviewWords.day(at) + ", now" : "End of " + OverviewWords.dayEndingAt(at);
        return new Row(
                at.equals(cycle.startsAt()) ? "Start, " + OverviewWords.day(at) : day,
                OverviewWords.percentage(point.progress()),
                OverviewWords.percentage(cycle.elapsed(at)));
    }

    private static TeamSection section(TeamOverview team) {
        var standing = team.standing();
        return new TeamSection(
                team.name() == null ? "Without a team" : team.name(),
                OverviewWords.percentage(standing.progress()),
                OverviewWords.percent(standing.progress()),
                StatusShare.of(standing),
                team.objectives().stream().map(OverviewPage::line).toList(),
                team.moreObjectives());
    }

    private static Line line(ObjectiveLine objective) {
        return new Line(
                objective.title(),
                objective.owner(),
                OverviewWords.percentage(objective.progress()),
                OverviewWords.percent(objective.progress()),
                EnumNames.format(objective.status()),
                StatusShare.label(objective.status()));
    }
}
