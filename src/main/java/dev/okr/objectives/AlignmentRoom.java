package dev.okr.objectives;

import dev.okr.objectives.Ancestors.Edge;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Sql;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Checks new alignments without their chains: whether two objectives are aligned already, and how many parents and
 * children they have. The caller holds the lock of {@link TenantSql#lockOrganization}, so nobody else adds alignments.
 */
final class AlignmentRoom {
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

    private final Set<Edge> existing;
    private final Room children = new Room(Limit.ALIGNMENTS_PER_OBJECTIVE);
    private final Room parents = new Room(Limit.ALIGNMENTS_PER_OBJECTIVE);
    private final Room contributing = new Room(Limit.CONTRIBUTING_CHILDREN);

    /** The number of alignments at one end of each objective. */
    private record Room(Limit limit, int max, Map<UUID, Integer> counts) {
        Room(Limit limit) {
            this(limit, limit.value(), new HashMap<>());
        }

        boolean isFull(UUID objective) {
            return counts.getOrDefault(objective, 0) >= max;
        }

        void require(UUID objective) {
            if (isFull(objective)) {
                throw limit.reached();
            }
        }

        void add(UUID objective) {
            counts.merge(objective, 1, Integer::sum);
        }
    }

    private AlignmentRoom(List<CreateAlignment> requests) {
        var sql = TenantSql.current();
        var ofParents =
                requests.stream().map(CreateAlignment::parentObjectiveId).toList();
        var ofChildren =
                requests.stream().map(CreateAlignment::childObjectiveId).toList();
        existing = new HashSet<>(sql.list(Edge::read, EXISTING, ofParents, ofChildren));
        sql.list(
                row -> {
                    var objective = Sql.uuid(row, "objective");
                    contributing.counts.put(objective, row.getInt("contributing"));
                    return children.counts.put(objective, row.getInt("existing"));
                },
                CHILDREN,
                ofParents);
        sql.list(row -> parents.counts.put(Sql.uuid(row, "objective"), row.getInt("existing")), PARENTS, ofChildren);
    }

    static AlignmentRoom of(List<CreateAlignment> requests) {
        return new AlignmentRoom(requests);
    }

    /** @throws Failure a conflict if the two are already aligned, or if a limit is reached */
    void require(CreateAlignment request) {
        if (existing.contains(NewAlignments.edge(request))) {
            throw Failure.conflict("These two objectives are already aligned.");
        }
        children.require(request.parentObjectiveId());
        parents.require(request.childObjectiveId());
        if (contributes(request)) {
            contributing.require(request.parentObjectiveId());
        }
    }

    /** Returns the alignments that are new and have room, if they are added in this order. */
    List<CreateAlignment> withRoom(List<CreateAlignment> requests) {
        return requests.stream().filter(this::add).toList();
    }

    /** Returns false if the alignment has no room. */
    private boolean add(CreateAlignment request) {
        var parent = request.parentObjectiveId();
        var child = request.childObjectiveId();
        if (children.isFull(parent)
                || parents.isFull(child)
                || contributes(request) && contributing.isFull(parent)
                || !existing.add(NewAlignments.edge(request))) {
            return false;
        }
        children.add(parent);
        parents.add(child);
        if (contributes(request)) {
            contributing.add(parent);
        }
        return true;
    }

    private static boolean contributes(CreateAlignment request) {
        return request.alignmentType() == AlignmentType.CONTRIBUTES_TO;
    }
}
