package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.OrganizationLock;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A child objective that serves a parent objective. */
@Entity
@Table(name = "alignment")
public class Alignment extends TenantEntity {
    private static final TenantTable<Alignment> TABLE = new TenantTable<>(
            "alignment",
            List.of("id", "parent_objective_id", "child_objective_id", "alignment_type", "created_at", "updated_at"),
            Alignment::read);

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
     * Aligns two objectives of an organisation.
     *
     * @throws Failure a conflict, when the pair is aligned already or the alignment would close a loop
     */
    static Alignment create(UUID organizationId, CreateAlignment request, Instant now) {
        // Loops are found by looking, so the organisation's alignments are created one after the other: two opposing
        // ones at the same moment would not see each other.
        OrganizationLock.acquire(organizationId);
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
        return alignment;
    }

    void delete(Outbox outbox) {
        outbox.deleted(EventType.ALIGNMENT_DELETED, IdKind.ALIGNMENT.format(id), AlignmentResponse.of(this));
        delete();
    }

    /** Deletes the alignments of an objective that is being deleted itself, on both sides. */
    static void deleteOf(Objective objective, Outbox outbox) {
        lockedOf(objective.id()).forEach(alignment -> alignment.delete(outbox));
    }

    private static void requireNew(CreateAlignment request) {
        var count = count(
                "parentObjectiveId = ?1 and childObjectiveId = ?2",
                request.parentObjectiveId(),
                request.childObjectiveId());
        if (count > 0) {
            throw Failure.conflict("These two objectives are aligned already.");
        }
    }

    private static void requireNoLoop(CreateAlignment request) {
        var loop = new AlignmentGraph(Alignment::edgesTo).loop(request.parentObjectiveId(), request.childObjectiveId());
        if (!loop.isEmpty()) {
            throw Failure.conflict("The alignment would close the loop "
                    + loop.stream().map(IdKind.OBJECTIVE::format).collect(Collectors.joining(" → ")) + '.');
        }
    }

    private static List<AlignmentGraph.Edge> edgesTo(Collection<UUID> children) {
        return Panache.getSession()
                .createSelectionQuery("""
                        select a.parentObjectiveId, a.childObjectiveId from Alignment a
                        where a.childObjectiveId in :children
                        """, Edge.class)
                .setParameterList("children", children)
                .getResultStream()
                .map(edge -> new AlignmentGraph.Edge(edge.parent(), edge.child()))
                .toList();
    }

    /** A row of the query. */
    @RegisterForReflection
    record Edge(UUID parent, UUID child) {}

    /**
     * Reads an alignment to delete it, under a lock on its row: of two requests that delete it, the second finds none.
     *
     * @throws Failure when the organisation has no such alignment
     */
    static Alignment requireLocked(String publicId) {
        return IdKind.ALIGNMENT
                .parse(publicId)
                .flatMap(id ->
                        find("id", id).withLock(LockModeType.PESSIMISTIC_WRITE).<Alignment>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("alignment"));
    }

    /** Alignments newest first, or those that have an objective on either side. */
    static Slice<Alignment> list(ListQuery query, @Nullable UUID objectiveId) {
        var alignments = NewestFirst.of(TABLE, alignment -> alignment.createdAt);
        return (objectiveId == null
                        ? alignments
                        : alignments.where(
                                "(e.parent_objective_id = ? OR e.child_objective_id = ?)", objectiveId, objectiveId))
                .slice(query);
    }

    /** The alignments of an objective, on either side, under locks on their rows. */
    private static List<Alignment> lockedOf(UUID objectiveId) {
        return find("parentObjectiveId = ?1 or childObjectiveId = ?1", objectiveId)
                .withLock(LockModeType.PESSIMISTIC_WRITE)
                .list();
    }

    private static Alignment read(ResultSet row) throws SQLException {
        var alignment = unmanaged(new Alignment());
        alignment.id = Sql.uuid(row, "id");
        alignment.parentObjectiveId = Sql.uuid(row, "parent_objective_id");
        alignment.childObjectiveId = Sql.uuid(row, "child_objective_id");
        alignment.alignmentType = EnumNames.parse(AlignmentType.class, row.getString("alignment_type"))
                .orElseThrow();
        alignment.createdAt = Sql.instant(row, "created_at");
        alignment.updatedAt = Sql.instant(row, "updated_at");
        return alignment;
    }

    /** Stores types in lower case. */
    @Converter(autoApply = true)
    static class TypeConverter extends EnumConverter<AlignmentType> {
        TypeConverter() {
            super(AlignmentType.class);
        }
    }
}
