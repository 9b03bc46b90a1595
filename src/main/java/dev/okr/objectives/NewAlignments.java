package dev.okr.objectives;

import dev.okr.objectives.Ancestors.Edge;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks alignments before they are inserted. The chains above their parents and below their children are read once,
 * and the loops and limits are checked in memory. So the number of statements does not depend on how many alignments
 * are checked. The caller holds the lock of {@link TenantSql#lockOrganization}, so nobody else adds alignments.
 */
final class NewAlignments {
    /**
     * Far more alignments than the chains of one objective have. It bounds the time of the search. An alignment counts
     * once for each of its distances.
     */
    private static final int MAX_EDGES_OF_ONE = 10_000;

    /** The same for several new alignments. It also bounds the memory. */
    private static final int MAX_EDGES = 50_000;

    private static final String EXISTING = """
            SELECT a.parent_objective_id AS parent, a.child_objective_id AS child
            FROM unnest(?::uuid[], ?::uuid[]) AS pair (parent, child)
            JOIN alignment a ON a.organization_id = :organization
                AND a.parent_objective_id = pair.parent AND a.child_objective_id = pair.child
            """;

    private static final String COUNTS = """
            SELECT a.%1$s_objective_id AS objective, count(*) AS existing,
                count(*) FILTER (WHERE a.alignment_type = 'contributes_to') AS contributing
            FROM alignment a WHERE a.organization_id = :organization AND a.%1$s_objective_id = ANY (?)
            GROUP BY a.%1$s_objective_id
            """;
    private static final String CHILDREN = COUNTS.formatted("parent");
    private static final String PARENTS = COUNTS.formatted("child");

    /**
     * Finds the alignments on the chains from some objectives, the nearest first. The limit ends the search early. The
     * longest possible chain ends it in data of an earlier version.
     */
    private static final String CHAINS = """
            WITH RECURSIVE chain (parent, child, type, distance) AS (
                SELECT a.parent_objective_id, a.child_objective_id, a.alignment_type, 1 FROM alignment a
                WHERE a.organization_id = :organization AND a.%1$s_objective_id = ANY (?)
                UNION
                SELECT a.parent_objective_id, a.child_objective_id, a.alignment_type, chain.distance + 1
                FROM chain JOIN alignment a ON a.organization_id = :organization AND a.%1$s_objective_id = chain.%2$s
                WHERE chain.distance < ?)
            SELECT parent, child, type = 'contributes_to' AS contributes FROM chain LIMIT ?
            """;

    private static final String ABOVE = CHAINS.formatted("child", "parent");
    private static final String BELOW = CHAINS.formatted("parent", "child");

    private final Set<Edge> existing;
    private final Map<UUID, Count> children;
    private final Map<UUID, Count> parents;
    private final boolean isTooLarge;
    private final AlignmentPaths all;
    private final AlignmentPaths contributing;
    private final List<CreateAlignment> added = new ArrayList<>();

    /** The number of alignments of an objective, and how many of them contribute. */
    private record Count(long existing, long contributing) {
        static final Count NONE = new Count(0, 0);
    }

    private record Stored(Edge edge, boolean contributes) {
        static Stored read(ResultSet row) throws SQLException {
            return new Stored(Edge.read(row), row.getBoolean("contributes"));
        }
    }

    private NewAlignments(List<CreateAlignment> requests) {
        var sql = TenantSql.current();
        var ofParents =
                requests.stream().map(CreateAlignment::parentObjectiveId).toList();
        var ofChildren =
                requests.stream().map(CreateAlignment::childObjectiveId).toList();
        existing = new HashSet<>(sql.list(Edge::read, EXISTING, ofParents, ofChildren));
        children = counts(CHILDREN, ofParents);
        parents = counts(PARENTS, ofChildren);
        int max = requests.size() == 1 ? MAX_EDGES_OF_ONE : MAX_EDGES;
        int maxDistance = Limit.ALIGNMENT_DEPTH.value();
        var above = sql.list(Stored::read, ABOVE, ofParents, maxDistance, max);
        var below = sql.list(Stored::read, BELOW, ofChildren, maxDistance, max);
        isTooLarge = above.size() == max || below.size() == max;
        var chains = new LinkedHashSet<>(above);
        chains.addAll(below);
        all = new AlignmentPaths(chains.stream().map(Stored::edge).toList());
        contributing = new AlignmentPaths(
                chains.stream().filter(Stored::contributes).map(Stored::edge).toList());
    }

    private static Map<UUID, Count> counts(String statement, List<UUID> objectives) {
        var counts = new HashMap<UUID, Count>();
        TenantSql.current()
                .list(
                        row -> counts.put(
                                Sql.uuid(row, "objective"),
                                new Count(row.getLong("existing"), row.getLong("contributing"))),
                        statement,
                        objectives);
        return counts;
    }

    /**
     * Checks one alignment. The cycle of the child must be open.
     *
     * @throws Failure a conflict if the two are already aligned or the alignment would close a loop, or if a limit is
     *     reached
     */
    static void requirePossible(CreateAlignment request) {
        var requests = List.of(request);
        var alignments = new NewAlignments(requests);
        alignments.add(requests);
        var contributions = contributions(requests);
        if (alignments.areManyAbove(contributions, alignments.above(contributions))) {
            throw Limit.CONTRIBUTIONS_ABOVE.reached();
        }
    }

    /**
     * Returns the alignments that can be inserted one after the other. The others are left out. If too many alignments
     * would contribute above one objective, all later ones that contribute are left out. The cycles of the children must
     * be open.
     *
     * @throws Failure a conflict if too many alignments are connected with them
     */
    static List<CreateAlignment> possible(List<CreateAlignment> requests) {
        if (requests.isEmpty()) {
            return requests;
        }
        var alignments = new NewAlignments(requests);
        if (alignments.isTooLarge) {
            throw Failure.conflict(
                    String.format(Locale.ROOT, "The alignments are connected with more than %,d others.", MAX_EDGES));
        }
        alignments.addPossible(requests);
        return alignments.withFewAbove();
    }

    /** Most alignments are possible. So this checks all of them at once, and halves only the groups that are refused. */
    private void addPossible(List<CreateAlignment> group) {
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

    private void add(List<CreateAlignment> group) {
        requireNew(group);
        var contributions = contributions(group);
        all.add(edges(group));
        contributing.add(edges(contributions));
        try {
            group.forEach(each -> requireNoLoop(edge(each)));
            requireShort(all, group, Limit.ALIGNMENT_DEPTH);
            requireShort(contributing, contributions, Limit.CONTRIBUTION_DEPTH);
            requireRoom(Stream.concat(added.stream(), group.stream()).toList());
        } catch (Failure notPossible) {
            all.removeLast(group.size());
            contributing.removeLast(contributions.size());
            throw notPossible;
        }
        existing.addAll(edges(group));
        added.addAll(group);
    }

    private void requireNew(List<CreateAlignment> group) {
        var edges = new HashSet<Edge>();
        for (var each : group) {
            if (existing.contains(edge(each)) || !edges.add(edge(each))) {
                throw Failure.conflict("These two objectives are already aligned.");
            }
        }
    }

    private void requireRoom(List<CreateAlignment> requests) {
        requireRoom(
                requests,
                CreateAlignment::parentObjectiveId,
                id -> children.getOrDefault(id, Count.NONE).existing,
                Limit.ALIGNMENTS_PER_OBJECTIVE);
        requireRoom(
                requests,
                CreateAlignment::childObjectiveId,
                id -> parents.getOrDefault(id, Count.NONE).existing,
                Limit.ALIGNMENTS_PER_OBJECTIVE);
        requireRoom(
                contributions(requests),
                CreateAlignment::parentObjectiveId,
                id -> children.getOrDefault(id, Count.NONE).contributing,
                Limit.CONTRIBUTING_CHILDREN);
    }

    private static void requireRoom(
            List<CreateAlignment> requests,
            Function<CreateAlignment, UUID> end,
            ToLongFunction<UUID> existing,
            Limit limit) {
        requests.stream()
                .collect(Collectors.groupingBy(end, Collectors.counting()))
                .forEach((id, count) -> limit.requireRoom(existing.applyAsLong(id) + count - 1));
    }

    private void requireNoLoop(Edge edge) {
        var loop = all.isInLoop(edge) ? all.loop(edge) : List.<UUID>of();
        if (!loop.isEmpty()) {
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
        return !contributions.isEmpty() && new AlignmentPaths(edges).areMoreAboveOne(Limit.CONTRIBUTIONS_ABOVE.value());
    }

    /** The stored contributing alignments above the objectives of new ones, and above all objectives below those. */
    private List<Edge> above(List<CreateAlignment> contributions) {
        var objectives = contributing.below(contributions.stream()
                .flatMap(each -> Stream.of(each.parentObjectiveId(), each.childObjectiveId()))
                .toList());
        return objectives.isEmpty() ? List.of() : Ancestors.edges(objectives);
    }

    private static List<CreateAlignment> contributions(List<CreateAlignment> requests) {
        return requests.stream()
                .filter(each -> each.alignmentType() == AlignmentType.CONTRIBUTES_TO)
                .toList();
    }

    private static List<Edge> edges(List<CreateAlignment> requests) {
        return requests.stream().map(NewAlignments::edge).toList();
    }

    private static Edge edge(CreateAlignment request) {
        return new Edge(request.parentObjectiveId(), request.childObjectiveId());
    }
}
