package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/** An alignment says that a child objective serves a parent objective. */
@Entity
@Table(name = "alignment")
public class Alignment extends TenantEntity {
    static final TenantTable<AlignmentResponse> TABLE = new TenantTable<>(
            "alignment",
            List.of("id", "parent_objective_id", "child_objective_id", "alignment_type", "created_at", "updated_at"),
            AlignmentResponse::read);

    private static final String EDGES_TO = """
            SELECT parent_objective_id, child_objective_id FROM alignment
            WHERE organization_id = :organization AND child_objective_id = ANY (?)
            """;

    @Column(name = "parent_objective_id", updatable = false)
    UUID parentObjectiveId;

    @Column(name = "child_objective_id", updatable = false)
    UUID childObjectiveId;

    @Column(name = "alignment_type", updatable = false)
    AlignmentType alignmentType;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at", updatable = false)
    Instant updatedAt;

    protected Alignment() {}

    /**
     * Aligns two objectives of the organisation.
     *
     * @throws Failure a conflict if the two are already aligned or the alignment would close a loop
     */
    static AlignmentResponse create(CreateAlignment request, Instant now, Outbox outbox) {
        // An organisation's alignments are created one after the other. Otherwise two concurrent requests could close a
        // loop together, because neither sees the alignment of the other.
        TenantSql.current().lockOrganization();
        requireNew(request);
        requireNoLoop(request);
        var alignment = new Alignment();
        alignment.id = UuidV7.at(now);
        alignment.parentObjectiveId = request.parentObjectiveId();
        alignment.childObjectiveId = request.childObjectiveId();
        alignment.alignmentType = request.alignmentType();
        alignment.createdAt = now;
        alignment.updatedAt = now;
        alignment.persist();
        var created = alignment.shown();
        outbox.created(EventType.ALIGNMENT_CREATED, created.id(), created);
        return created;
    }

    void delete(Outbox outbox) {
        outbox.deleted(EventType.ALIGNMENT_DELETED, IdKind.ALIGNMENT.format(id), shown());
        delete();
    }

    /** The alignment as the API shows it. */
    AlignmentResponse shown() {
        return AlignmentResponse.of(this);
    }

    /**
     * Deletes the alignments to parents and children of an objective, before the objective itself is deleted. They are
     * kept for its restoration. Returns their number.
     */
    static int deleteOf(UUID objectiveId, Outbox outbox) {
        var alignments = Alignment.<Alignment>find("parentObjectiveId = ?1 or childObjectiveId = ?1", objectiveId)
                .withLock(LockModeType.PESSIMISTIC_WRITE)
                .list();
        DeletedAlignments.keep(alignments.stream().map(Alignment::id).toList());
        alignments.forEach(alignment -> alignment.delete(outbox));
        return alignments.size();
    }

    private static void requireNew(CreateAlignment request) {
        var count = count(
                "parentObjectiveId = ?1 and childObjectiveId = ?2",
                request.parentObjectiveId(),
                request.childObjectiveId());
        if (count > 0) {
            throw Failure.conflict("These two objectives are already aligned.");
        }
    }

    private static void requireNoLoop(CreateAlignment request) {
        var loop = graph().loop(request.parentObjectiveId(), request.childObjectiveId());
        if (!loop.isEmpty()) {
            throw Failure.conflict("The alignment would close the loop "
                    + loop.stream().map(IdKind.OBJECTIVE::format).collect(Collectors.joining(" → ")) + '.');
        }
    }

    /** The alignments of the organisation. */
    static AlignmentGraph graph() {
        return new AlignmentGraph(Alignment::edgesTo);
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
     * Reads an alignment under a lock on its row, to delete it. The lock makes the second of two concurrent deletions
     * find nothing.
     *
     * @throws Failure if the organisation has no such alignment
     */
    static Alignment requireLocked(String publicId) {
        return IdKind.ALIGNMENT
                .parse(publicId)
                .flatMap(id ->
                        find("id", id).withLock(LockModeType.PESSIMISTIC_WRITE).<Alignment>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("alignment"));
    }

    /** Lists alignments, newest first. With the filter, only those that have the objective as parent or child. */
    static Slice<AlignmentResponse> list(ListQuery query) {
        var alignments = NewestFirst.of(TABLE).updatedSince(query.time("updated_since"));
        var objectiveId = query.id("objective_id", IdKind.OBJECTIVE);
        if (objectiveId != null) {
            alignments.where("(e.parent_objective_id = ? OR e.child_objective_id = ?)", objectiveId, objectiveId);
        }
        return alignments.slice(query);
    }

    /** Stores a type in lower case. */
    @Converter(autoApply = true)
    static class TypeConverter extends EnumConverter<AlignmentType> {
        TypeConverter() {
            super(AlignmentType.class);
        }
    }
}
