package dev.okr.console.overview;

import dev.okr.console.Option;
import dev.okr.console.Paging;
import dev.okr.objectives.overview.Choices;
import dev.okr.objectives.overview.CycleChoice;
import dev.okr.objectives.overview.CycleObjective;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The objectives of a cycle as a table or as a tree.
 *
 * @param query the query of the page, with its filters
 * @param searchable whether the page has a search for the teams and people that the filters leave out
 * @param paging null for a tree
 * @param cut whether the tree leaves out objectives
 */
public record CycleList(
        CycleQuery query,
        String cycleId,
        String cycle,
        String dates,
        boolean closed,
        List<OverviewPage.Option> cycles,
        List<Option> teams,
        List<Option> people,
        List<Option> statuses,
        boolean searchable,
        List<Row> rows,
        long total,
        @Nullable Paging paging,
        boolean cut) {

    /** @param level the distance from the root of the tree; 0 in a table */
    public record Row(
            String id,
            String title,
            String owner,
            @Nullable String teamId,
            @Nullable String team,
            String status,
            String statusLabel,
            String progress,
            int percent,
            Instant updatedAt,
            int level) {
        static Row of(CycleObjective objective, int level) {
            var team = objective.teamId();
            return new Row(
                    IdKind.OBJECTIVE.format(objective.id()),
                    objective.title(),
                    objective.owner(),
                    team == null ? null : IdKind.TEAM.format(team),
                    objective.team(),
                    EnumNames.format(objective.status()),
                    StatusShare.label(objective.status()),
                    OverviewWords.percentage(objective.progress()),
                    OverviewWords.percent(objective.progress()),
                    objective.updatedAt(),
                    level);
        }

        public String updated() {
            return OverviewWords.day(updatedAt);
        }
    }

    static CycleList of(
            CycleQuery query, CycleChoice.Offer offer, List<Row> rows, long total, @Nullable Paging paging) {
        var cycle = offer.chosen();
        var teams = Choices.teams(query.find(), List.of(query.team()));
        var people = Choices.people(query.find(), List.of(query.owner()));
        return new CycleList(
                query,
                IdKind.CYCLE.format(cycle.id()),
                cycle.name(),
                OverviewWords.days(cycle.startsAt(), cycle.endsAt()),
                cycle.isClosed(),
                offer.all().stream()
                        .map(choice -> OverviewPage.option(choice, offer.all(), choice.equals(cycle)))
                        .toList(),
                Option.of(teams),
                Option.of(people),
                StatusShare.options(),
                Choices.needSearch(query.find(), teams, people),
                rows,
                total,
                paging,
                paging == null && total > rows.size());
    }

    static List<Row> table(List<CycleObjective> objectives) {
        return objectives.stream().map(objective -> Row.of(objective, 0)).toList();
    }

    /** Each objective once, below its first parent. An objective whose parents are not listed is a root. */
    static List<Row> tree(List<CycleObjective> objectives, List<CycleObjective.Edge> alignments) {
        var byId = new HashMap<UUID, CycleObjective>();
        objectives.forEach(objective -> byId.put(objective.id(), objective));
        var children = new HashMap<UUID, List<UUID>>();
        var placed = new HashSet<UUID>();
        for (var alignment : alignments) {
            if (placed.add(alignment.child())) {
                children.computeIfAbsent(alignment.parent(), parent -> new ArrayList<>())
                        .add(alignment.child());
            }
        }
        var rows = new ArrayList<Row>();
        objectives.stream()
                .filter(objective -> !placed.contains(objective.id()))
                .forEach(root -> add(root.id(), 0, byId, children, rows));
        return rows;
    }

    /** Alignments never form a loop. */
    private static void add(
            UUID id, int level, Map<UUID, CycleObjective> byId, Map<UUID, List<UUID>> children, List<Row> rows) {
        rows.add(Row.of(Objects.requireNonNull(byId.get(id)), level));
        children.getOrDefault(id, List.of()).forEach(child -> add(child, level + 1, byId, children, rows));
    }
}
