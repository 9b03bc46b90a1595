package dev.okr.objectives;

import dev.okr.objectives.Ancestors.Edge;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks alignments before they are inserted. Existing pairs and limits of the two objectives are found first, see
 * {@link AlignmentRoom}. Then the chains above the parents and below the children are read once, and the loops and
 * limits are checked in memory. So the number of statements does not depend on how many alignments are checked. The
 * caller holds the lock of {@link TenantSql#lockOrganization}, so nobody else adds alignments.
 */
final class NewAlignments {
    /**
     * Far more alignments than the chains of one objective have. It bounds the time of the search. An alignment counts
     * once for each of its distances.
     */
    private static final int MAX_EDGES_OF_ONE = 10_000;

    /** The same for several new alignments. It also bounds the memory. */
    private static final int MAX_EDGES = 50_000;

    /** It bounds the time that refused alignments take, because the caller holds locks. Half of this took 0.13 s. */
    static final int MAX_VISITS = 10_000_000;

    /**
     * Finds the alignments on the chains from some objectives, the nearest first. Each objective is visited once
     * for each of its distances. The limit ends the search early, because the subquery cannot become a join that needs all
     * objectives first. The longest possible chain ends the search in data of an earlier version.
     */
    private static final String CHAINS = """
            WITH RECURSIVE reached (objective, distance) AS (
                SELECT id, 1 FROM unnest(?::uuid[]) id
                UNION
                SELECT a.%2$s_objective_id, reached.distance + 1
                FROM reached JOIN alignment a ON a.organization_id = :organization
                    AND a.%1$s_objective_id = reached.objective
                WHERE reached.distance < ?)
            SELECT next.parent, next.child, next.contributes FROM reached CROSS JOIN LATERAL (
                SELECT a.parent_objective_id AS parent, a.child_objective_id AS child,
                    a.alignment_type = 'contributes_to' AS contributes
                FROM alignment a WHERE a.organization_id = :organization AND a.%1$s_objective_id = reached.objective
                OFFSET 0) next
            LIMIT ?
            """;

    private static final String ABOVE = CHAINS.formatted("child", "parent");
    private static final String BELOW = CHAINS.formatted("parent", "child");

    private static final ForIds ABOVE_ALL = Ancestors.readAtMost(MAX_EDGES + 1);

    private final boolean isTooLarge;
    private final AlignmentPaths all;
    private final AlignmentPaths contributing;
    private final List<CreateAlignment> added = new ArrayList<>();
    private long visitsAbove;

    private record Stored(Edge edge, boolean contributes) {
        static Stored read(ResultSet row) throws SQLException {
            return new Stored(Edge.read(row), row.getBoolean("contributes"));
        }
    }

    NewAlignments(List<Edge> all, List<Edge> contributing, boolean isTooLarge) {
        this.isTooLarge = isTooLarge;
        this.all = new AlignmentPaths(all);
        this.contributing = new AlignmentPaths(contributing);
    }

    private static NewAlignments read(List<CreateAlignment> requests) {
        int max = requests.size() == 1 ? MAX_EDGES_OF_ONE : MAX_EDGES;
        var above = chains(ABOVE, requests.stream().map(CreateAlignment::parentObjectiveId), max);
        var below = chains(BELOW, requests.stream().map(CreateAlignment::childObjectiveId), max);
        var chains = new LinkedHashSet<>(above);
        chains.addAll(below);
        return new NewAlignments(
                chains.stream().map(Stored::edge).toList(),
                chains.stream().filter(Stored::contributes).map(Stored::edge).toList(),
                above.size() == max || below.size() == max);
    }

    private static List<Stored> chains(String statement, Stream<UUID> objectives, int max) {
        return TenantSql.current()
                .list(Stored::read, statement, objectives.toList(), Limit.ALIGNMENT_DEPTH.value(), max);
    }

    /**
     * Checks one alignment. The cycle of the child must be open.
     *
     * @throws Failure a conflict if the two are already aligned or the alignment would close a loop, or if a limit is
     *     reached
     */
    static void requirePossible(CreateAlignment request) {
        var requests = List.of(request);
        AlignmentRoom.of(requests).require(request);
        var alignments = read(requests);
        alignments.add(requests);
        var contributions = contributions(requests);
        if (alignments.areManyAbove(contributions, alignments.above(contributions))) {
            throw Limit.CONTRIBUTIONS_ABOVE.reached();
        }
    }

    /**
     * Returns the alignments that can be inserted one after the other. The others are left out, first those without room.
     * If too many alignments would contribute above one objective, all later ones that contribute are left out. The cycles
     * of the children must be open.
     *
     * @throws Failure a conflict if too many alignments are connected with them
     */
    static List<CreateAlignment> possible(List<CreateAlignment> requests) {
        var withRoom =
                requests.isEmpty() ? requests : AlignmentRoom.of(requests).withRoom(requests);
        if (withRoom.isEmpty()) {
            return withRoom;
        }
        var alignments = read(withRoom);
        if (alignments.isTooLarge) {
            throw tooLarge();
        }
        alignments.addPossible(withRoom);
        return alignments.withFewAbove();
    }

    private static Failure tooLarge() {
        return Failure.conflict(
                String.format(Locale.ROOT, "The alignments are connected with more than %,d others.", MAX_EDGES));
    }

    /** Most alignments are possible. So this checks all of them at once, and halves only the groups that are refused. */
    void addPossible(List<CreateAlignment> group) {
        requireFewVisits();
        try {
            add(group);
        } catch (Failure notPossible) {
            int half = group.size() / 2;
            if (half > 0) {
                addPossible(group.subList(0, half));
                addPossible(group.subList(half, group.size()));
            }
        }
    }

    private void requireFewVisits() {
        if (visits() > MAX_VISITS) {
            throw Failure.conflict("Too many of the alignments close loops or exceed limits.");
        }
    }

    long visits() {
        return all.visits() + contributing.visits() + visitsAbove;
    }

    private void add(List<CreateAlignment> group) {
        var contributions = contributions(group);
        all.add(edges(group));
        contributing.add(edges(contributions));
        try {
            requireNoLoop(group);
            requireShort(all, group, Limit.ALIGNMENT_DEPTH);
            requireShort(contributing, contributions, Limit.CONTRIBUTION_DEPTH);
        } catch (Failure notPossible) {
            all.removeLast(group.size());
            contributing.removeLast(contributions.size());
            throw notPossible;
        }
        added.addAll(group);
    }

    /** Only a single alignment needs to know its loop. */
    private void requireNoLoop(List<CreateAlignment> group) {
        if (group.stream().noneMatch(each -> all.isInLoop(edge(each)))) {
            return;
        }
        var loop = all.loop(edge(group.getFirst()));
        if (group.size() > 1 || !loop.isEmpty()) {
            throw Failure.conflict("The alignment would close the loop "
                    + loop.stream().map(IdKind.OBJECTIVE::format).collect(Collectors.joining(" → ")) + '.');
        }
    }

    /** Must come after {@link #requireNoLoop}, because a chain that becomes a loop can also be too long. */
    private void requireShort(AlignmentPaths paths, List<CreateAlignment> group, Limit limit) {
        int max = limit.value();
        if (!group.isEmpty() && isTooLarge || group.stream().anyMatch(each -> paths.longestChain(edge(each)) > max)) {
            throw limit.reached();
        }
    }

    /** Leaves out the last ones that contribute, if too many contributing alignments would be above one objective. */
    private List<CreateAlignment> withFewAbove() {
        var contributions = contributions(added);
        var above = above(contributions);
        if (!areManyAbove(contributions, above)) {
            return added;
        }
        int possible = 0;
        int tooMany = contributions.size();
        while (tooMany - possible > 1) {
            requireFewVisits();
            int middle = (possible + tooMany) / 2;
            if (areManyAbove(contributions.subList(0, middle), above)) {
                tooMany = middle;
            } else {
                possible = middle;
            }
        }
        var leftOut = new HashSet<>(contributions.subList(possible, contributions.size()));
        return added.stream().filter(each -> !leftOut.contains(each)).toList();
    }

    /** A new alignment is also above all objectives below its child. */
    private boolean areManyAbove(List<CreateAlignment> contributions, List<Edge> above) {
        var edges = new ArrayList<>(above);
        edges.addAll(edges(contributions));
        var paths = new AlignmentPaths(edges);
        boolean areMany = !contributions.isEmpty() && paths.areMoreAboveOne(Limit.CONTRIBUTIONS_ABOVE.value());
        visitsAbove += paths.visits();
        return areMany;
    }

    /** The stored contributing alignments above the objectives of new ones, and above all objectives below those. */
    private List<Edge> above(List<CreateAlignment> contributions) {
        var objectives = contributing.below(contributions.stream()
                .flatMap(each -> Stream.of(each.parentObjectiveId(), each.childObjectiveId()))
                .toList());
        if (objectives.isEmpty()) {
            return List.of();
        }
        List<Edge> above = ABOVE_ALL.results(results -> results.next(Edge::read), objectives);
        if (above.size() > MAX_EDGES) {
            throw tooLarge();
        }
        return above;
    }

    private static List<CreateAlignment> contributions(List<CreateAlignment> requests) {
        return requests.stream()
                .filter(each -> each.alignmentType() == AlignmentType.CONTRIBUTES_TO)
                .toList();
    }

    private static List<Edge> edges(List<CreateAlignment> requests) {
        return requests.stream().map(NewAlignments::edge).toList();
    }

    static Edge edge(CreateAlignment request) {
        return new Edge(request.parentObjectiveId(), request.childObjectiveId());
    }
}
