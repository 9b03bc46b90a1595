package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
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
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An alignment says that a child objective serves a parent objective. */
@Entity
@Table(name = "alignment")
public class Alignment extends TenantEntity {
    static final TenantTable<AlignmentResponse> TABLE = new TenantTable<>(
            "alignment",
            List.of(
                    "id",
                    "parent_objective_id",
                    "child_objective_id",
                    "alignment_type",
                    "weight",
                    "created_at",
                    "updated_at"),
            AlignmentResponse::read);

    // The foreign key takes the same lock. Closing a cycle waits for it, but check-ins do not.
    private static final String SHARE_CHILDREN = """
            SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.id = ANY (?)
            ORDER BY o.id FOR KEY SHARE;
            SELECT o.id, o.cycle_id FROM objective o
                JOIN cycle c ON c.organization_id = :organization AND c.id = o.cycle_id
            WHERE o.organization_id = :organization AND o.id = ANY (?) AND c.closed_at IS NOT NULL
            """;

    private static final String LOCK_OF = """
            SELECT %s FROM alignment a
            WHERE a.organization_id = :organization AND (a.parent_objective_id = ? OR a.child_objective_id = ?)
            ORDER BY a.created_at, a.id FOR UPDATE
            """.formatted(TABLE.columns("a"));
    private static final String DELETE_ALL =
            "DELETE FROM alignment WHERE organization_id = :organization AND id = ANY (?)";

    @Column(name = "parent_objective_id", updatable = false)
    UUID parentObjectiveId;

    @Column(name = "child_objective_id", updatable = false)
    UUID childObjectiveId;

    @Column(name = "alignment_type", updatable = false)
    AlignmentType alignmentType;

    /** Null in rows of an earlier version, see {@link ContributionFiller}. */
    @Column(name = "weight")
    @Nullable
    BigDecimal weight;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Alignment() {}

    /**
     * Aligns two objectives of the organisation. A child that contributes changes the progress of the parent.
     *
     * @throws Failure a conflict if the cycle of the child is closed, if the two are already aligned or the alignment
     *     would close a loop, or if a limit is reached
     */
    static AlignmentResponse create(CreateAlignment request, Instant now, Outbox outbox) {
        // An organisation's alignments are created one after the other. Otherwise two concurrent requests could close a
        // loop together, because neither sees the alignment of the other.
        TenantSql.current().lockOrganization();
        boolean contributes = request.alignmentType() == AlignmentType.CONTRIBUTES_TO;
        if (contributes) {
            ContributionLock.lock();
            Contributions.lock(List.of(request.parentObjectiveId(), request.childObjectiveId()));
        }
        requirePossible(request);
        var created = insertAll(List.of(request), now, outbox);
        var contributions = Contributions.among(created);
        Contributions.begin(contributions);
        rollUp(contributions, now, outbox);
        return created.getFirst();
    }

    /** Creates alignments that the caller has checked. If some contribute, the caller also rolls the progress up. */
    static List<AlignmentResponse> insertAll(List<CreateAlignment> requests, Instant now, Outbox outbox) {
        var created = requests.stream()
                .map(each -> AlignmentResponse.ofNew(UuidV7.at(now), each, now))
                .toList();
        TABLE.insertAll(created.stream().map(AlignmentResponse::row).toList());
        created.forEach(each -> outbox.created(EventType.ALIGNMENT_CREATED, each.id(), each));
        return created;
    }

    /**
     * Changes the weight.
     *
     * @throws Failure if the cycle of the child is closed
     */
    AlignmentResponse update(UpdateAlignment request, Instant now, Outbox outbox) {
        var contributions = contributions();
        Contributions.lock(contributions);
        requireOpenChildren(List.of(childObjectiveId));
        var before = shown();
        var newWeight = request.weight().orElse(before.weight());
        if (newWeight.compareTo(before.weight()) == 0) {
            return before;
        }
        weight = newWeight;
        updatedAt = Timestamps.later(now, updatedAt);
        flush();
        var changed = shown();
        outbox.updated(EventType.ALIGNMENT_UPDATED, changed.id(), before, changed);
        Contributions.begin(contributions);
        rollUp(contributions, now, outbox);
        return changed;
    }

    /** @throws Failure if the cycle of the child is closed */
    void delete(Instant now, Outbox outbox) {
        var contributions = contributions();
        requireOpenChildren(List.of(childObjectiveId));
        outbox.deleted(EventType.ALIGNMENT_DELETED, IdKind.ALIGNMENT.format(id), shown());
        delete();
        flush();
        Contributions.end(contributions);
        rollUp(contributions, now, outbox);
    }

    /** Returns this alignment if it contributes. It then requires the lock that excludes all other roll-ups. */
    private List<AlignmentResponse> contributions() {
        if (alignmentType == AlignmentType.CONTRIBUTES_TO) {
            ContributionLock.requireExclusive();
        }
        return Contributions.among(List.of(shown()));
    }

    private static void rollUp(List<AlignmentResponse> contributions, Instant now, Outbox outbox) {
        var rollUp = new RollUp(now, outbox);
        rollUp.from(Contributions.parents(contributions));
        rollUp.write();
    }

    /** The alignment as the API shows it. */
    AlignmentResponse shown() {
        return AlignmentResponse.of(this);
    }

    /**
     * Deletes the alignments to parents and children of an objective, before the objective itself is deleted. They are
     * kept for its restoration. Returns the deleted alignments.
     *
     * @throws Failure if the cycle of a child is closed
     */
    static List<AlignmentResponse> deleteOf(UUID objectiveId, Outbox outbox) {
        var sql = TenantSql.current();
        var alignments = sql.list(TABLE.reader(), LOCK_OF, objectiveId, objectiveId);
        var ids = alignments.stream()
                .map(alignment -> IdKind.ALIGNMENT.require(alignment.id()))
                .toList();
        if (!ids.isEmpty()) {
            // Closing a cycle locks the parent and the children in another order.
            ContributionLock.requireShared();
            requireOpenChildren(alignments.stream()
                    .map(alignment -> IdKind.OBJECTIVE.require(alignment.childObjectiveId()))
                    .toList());
            DeletedAlignments.keep(ids);
            sql.write(DELETE_ALL, ids);
        }
        alignments.forEach(alignment -> outbox.deleted(EventType.ALIGNMENT_DELETED, alignment.id(), alignment));
        return alignments;
    }

    /**
     * Checks an alignment before it is inserted. The caller holds the lock of {@link TenantSql#lockOrganization}.
     *
     * @throws Failure a conflict if the cycle of the child is closed, if the two are already aligned or the alignment
     *     would close a loop, or if a limit is reached
     */
    private static void requirePossible(CreateAlignment request) {
        requireOpenChildren(List.of(request.childObjectiveId()));
        NewAlignments.requirePossible(request);
    }

    /**
     * Returns the alignments that can be inserted one after the other. The others are left out. The caller holds the
     * lock of {@link TenantSql#lockOrganization}.
     *
     * @throws Failure a conflict if too many alignments are connected with them
     */
    static List<CreateAlignment> possible(List<CreateAlignment> requests) {
        var closed = closedChildren(
                requests.stream().map(CreateAlignment::childObjectiveId).toList());
        return NewAlignments.possible(requests.stream()
                .filter(each -> !closed.containsKey(each.childObjectiveId()))
                .toList());
    }

    /**
     * Checks the children of alignments that are about to change, under a lock on the children (see
     * {@link ClosedCycle}).
     *
     * @throws Failure if the cycle of a child is closed
     */
    private static void requireOpenChildren(List<UUID> children) {
        closedChildren(children).values().stream().findFirst().ifPresent(cycle -> ClosedCycle.refuse(true, cycle));
    }

    /** Locks the objectives, and returns the cycles of those whose cycle is closed. */
    private static Map<UUID, UUID> closedChildren(List<UUID> children) {
        return children.isEmpty()
                ? Map.of()
                : TenantSql.current()
                        .results(
                                results -> {
                                    results.next(row -> true);
                                    return results
                                            .next(row -> Map.entry(Sql.uuid(row, "id"), Sql.uuid(row, "cycle_id")))
                                            .stream()
                                            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
                                },
                                SHARE_CHILDREN,
                                children,
                                children);
    }

    /** For imports, which read and write the columns themselves. */
    public static TenantTable<AlignmentResponse> table() {
        return TABLE;
    }

    /**
     * Reads an alignment under a lock on its row, to change or delete it. The lock makes the second of two concurrent
     * deletions find nothing.
     *
     * @throws Failure if the organisation has no such alignment
     */
    static Alignment requireLocked(String publicId) {
        return IdKind.ALIGNMENT
                .parse(publicId)
                .flatMap(id -> Alignment.<Alignment>findByIdOptional(id, LockModeType.PESSIMISTIC_WRITE))
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
