package dev.okr.console.overview;

import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleOverview;
import dev.okr.objectives.overview.ObjectiveLine;
import dev.okr.objectives.overview.TeamOverview;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The texts and numbers on the overview page of a cycle.
 *
 * @param remark why this cycle is shown; null if it was requested or is active
 * @param summary the state of the cycle in a sentence
 * @param stale how many key results need a check-in, in a sentence; null if there are none
 * @param previous the last cycle that ends before this one starts; null if there is none
 * @param historyRemark what the curve does not show; null if it is complete
 */
public record OverviewPage(
        String cycleId,
        boolean closed,
        String cycle,
        String dates,
        @Nullable String remark,
        List<Option> options,
        @Nullable Option previous,
        String summary,
        long objectives,
        @Nullable String stale,
        List<StatusShare> shares,
        ProgressChart chart,
        @Nullable String historyRemark,
        List<OverviewWords.HistoryRow> rows,
        List<TeamSection> teams,
        long moreTeams) {

    public String chartTitle() {
        return OverviewWords.chartTitle(cycle);
    }

    /** A cycle in the selection. */
    public record Option(String id, String label, boolean selected) {}

    /**
     * The objectives of a team, or those without a team.
     *
     * @param id null for the objectives without a team
     */
    public record TeamSection(
            @Nullable String id,
            String name,
            String progress,
            int percent,
            List<StatusShare> shares,
            List<Line> lines,
            long more) {}

    public record Line(
            String id, String title, String owner, String progress, int percent, String status, String statusLabel) {}

    /** The objectives without a team come last. */
    public static OverviewPage of(CycleOverview overview) {
        var cycle = overview.cycle();
        var standing = overview.standing();
        var points = overview.curve().points();
        return new OverviewPage(
                IdKind.CYCLE.format(cycle.id()),
                cycle.isClosed(),
                cycle.name(),
                OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                OverviewWords.remark(overview),
                overview.choices().stream()
                        .map(choice -> option(choice, overview.choices(), choice.equals(cycle)))
                        .toList(),
                overview.choices().stream()
                        .filter(choice -> !choice.endsAt().isAfter(cycle.startsAt()))
                        .max(Comparator.comparing(CycleChoice::endsAt))
                        .map(choice -> option(choice, overview.choices(), false))
                        .orElse(null),
                OverviewWords.summary(overview),
                standing.objectives(),
                OverviewWords.stale(overview),
                StatusShare.of(standing),
                ProgressChart.of(cycle.startsAt(), cycle.endsAt(), points),
                OverviewWords.historyRemark(overview),
                OverviewWords.history(cycle, overview.at(), points),
                overview.teams().stream()
                        .sorted(Comparator.comparing(team -> team.name() == null))
                        .map(OverviewPage::section)
                        .toList(),
                overview.moreTeams());
    }

    /** Cycles of earlier versions can have the same name. Their dates tell them apart. */
    static Option option(CycleChoice choice, List<CycleChoice> all, boolean selected) {
        boolean unique = all.stream()
                        .filter(other -> other.name().equalsIgnoreCase(choice.name()))
                        .count()
                == 1;
        var dates = unique ? "" : OverviewWords.days(choice.startsAt(), choice.endsAt()) + ", ";
        var label = choice.name() + " (" + dates + state(choice) + ")";
        return new Option(IdKind.CYCLE.format(choice.id()), label, selected);
    }

    private static String state(CycleChoice cycle) {
        return cycle.closedAt() == null ? EnumNames.format(cycle.status()) : "closed";
    }

    private static TeamSection section(TeamOverview team) {
        var standing = team.standing();
        return new TeamSection(
                team.id() == null ? null : IdKind.TEAM.format(team.id()),
                team.name() == null ? "Without a team" : team.name(),
                OverviewWords.percentage(standing.progress()),
                OverviewWords.percent(standing.progress()),
                StatusShare.of(standing),
                team.objectives().stream().map(OverviewPage::line).toList(),
                team.moreObjectives());
    }

    private static Line line(ObjectiveLine objective) {
        return new Line(
                IdKind.OBJECTIVE.format(objective.id()),
                objective.title(),
                objective.owner(),
                OverviewWords.percentage(objective.progress()),
                OverviewWords.percent(objective.progress()),
                EnumNames.format(objective.status()),
                StatusShare.label(objective.status()));
    }
}
