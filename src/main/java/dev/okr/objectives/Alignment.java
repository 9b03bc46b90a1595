package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** An alignment whose row is locked. It says that a child objective serves a parent objective. */
record Alignment(AlignmentResponse shown) {
    private static final TenantTable<AlignmentResponse> TABLE = new TenantTable<>(
            "alignment",
            List.of("id", "parent_objective_id", "child_objective_id", "alignment_type", "created_at", "updated_at"),
            AlignmentResponse::read);

    private static final String EXISTS = """
            SELECT 1 FROM alignment
            WHERE organization_id = :organization AND parent_objective_id = ? AND child_objective_id = ?
            """;

    private static final String EDGES_TO = """
            SELECT parent_objective_id, child_objective_id FROM alignment
            WHERE organization_id = :organization AND child_objective_id = ANY (?)
            """;

    private static final String LOCK = "SELECT " + TABLE.columns("a")
            + " FROM alignment a WHERE a.organization_id = :organization AND %s FOR NO KEY UPDATE";

    private static final String DELETE = "DELETE FROM alignment WHERE organization_id = :organization AND id = ?";

    /**
     * Aligns two objectives of the organisation.
     *
     * @throws Failure a conflict if the two are already aligned or the alignment would close a loop
     */
    static AlignmentResponse create(CreateAlignment request, Instant now, Outbox outbox) {
        // An organisation's alignments are created one after the other. Otherwise two concurrent requests could close a
        // loop together, because neither sees the alignment of the other.
        TenantSql.current().lockOrganization();
        var parent = request.parentObjectiveId();
        var child = request.childObjectiveId();
        requireNew(parent, child);
        requireNoLoop(parent, child);
        var id = UuidV7.at(now);
        var created = new AlignmentResponse(
                IdKind.ALIGNMENT.format(id),
                IdKind.OBJECTIVE.format(parent),
                IdKind.OBJECTIVE.format(child),
                request.alignmentType(),
                now,
                now);
        TABLE.insert(id, parent, child, EnumNames.format(request.alignmentType()), now, now);
        outbox.created(EventType.ALIGNMENT_CREATED, created.id(), created);
        return created;
    }

    void delete(Outbox outbox) {
        outbox.deleted(EventType.ALIGNMENT_DELETED, shown.id(), shown);
        TenantSql.current().write(DELETE, IdKind.ALIGNMENT.require(shown.id()));
    }

    /** Deletes the alignments to parents and children of an objective, before the objective itself is deleted. */
    static void deleteOf(UUID objectiveId, Outbox outbox) {
        TenantSql.current()
                .list(
                        TABLE.reader(),
                        LOCK.formatted("(a.parent_objective_id = ? OR a.child_objective_id = ?)"),
                        objectiveId,
                        objectiveId)
                .forEach(shown -> new Alignment(shown).delete(outbox));
    }

    private static void requireNew(UUID parent, UUID child) {
        if (TenantSql.current().first(row -> true, EXISTS, parent, child).isPresent()) {
            throw Failure.conflict("These two objectives are already aligned.");
        }
    }

    private static void requireNoLoop(UUID parent, UUID child) {
        var loop = new AlignmentGraph(Alignment::edgesTo).loop(parent, child);
        if (!loop.isEmpty()) {
            throw Failure.conflict("The alignment would close the loop "
                    + loop.stream().map(IdKind.OBJECTIVE::format).collect(Collectors.joining(" → ")) + '.');
        }
    }

    private static List<AlignmentGraph.Edge> edgesTo(Collection<UUID> children) {
        return TenantSql.current()
                .list(
                        row -> new AlignmentGraph.Edge(
                                Sql.uuid(row, "parent_objective_id"), Sql.uuid(row, "child_objective_id")),
                        EDGES_TO,
                        children);
    }

    /**
     * Locks an alignment to delete it. The lock makes the second of two concurrent deletions find nothing.
     *
     * @throws Failure if the organisation has no such alignment
     */
    static Alignment requireLocked(String publicId) {
        return IdKind.ALIGNMENT
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(TABLE.reader(), LOCK.formatted("a.id = ?"), id))
                .map(Alignment::new)
                .orElseThrow(() -> Failure.notFound("alignment"));
    }

    /** Lists alignments, newest first. With the filter, only those that have the objective as parent or child. */
    static Slice<AlignmentResponse> list(ListQuery query) {
        var alignments = NewestFirst.of(TABLE);
        var objectiveId = query.id("objective_id", IdKind.OBJECTIVE);
        if (objectiveId != null) {
            alignments.where("(e.parent_objective_id = ? OR e.child_objective_id = ?)", objectiveId, objectiveId);
        }
        return alignments.slice(query);
    }
}
