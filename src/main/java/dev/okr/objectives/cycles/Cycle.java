package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** A period for objectives, such as a quarter. Cycles may overlap. */
@Entity
@DynamicUpdate
@Table(name = "cycle")
public class Cycle extends TenantEntity {
    /** The sums that {@link CycleTotals} keeps. */
    private static final String TOTALS = """
            , (SELECT sum(t.objectives) FROM cycle_totals t
                WHERE t.organization_id = :organization AND t.cycle_id = {table}.id) AS objectives,
            (SELECT sum(t.progress) FROM cycle_totals t
                WHERE t.organization_id = :organization AND t.cycle_id = {table}.id) AS progress""";

    static final TenantTable<CycleResponse> TABLE = new TenantTable<>(
            "cycle",
            List.of(
                    "id",
                    "external_id",
                    "name",
                    "starts_at",
                    "ends_at",
                    "status",
                    "closed_at",
                    "final_progress",
                    "created_at",
                    "updated_at"),
            TOTALS,
            row -> CycleResponse.read(row, row.getString("status")));

    private static final String READ =
            "SELECT " + TABLE.columns("c") + " FROM cycle c WHERE c.organization_id = :organization AND c.id = ?";

    private static final String COUNT = "SELECT count(*) FROM cycle c WHERE c.organization_id = :organization";

    private static final String HAS_OBJECTIVES =
            "SELECT 1 FROM objective o WHERE o.organization_id = :organization AND o.cycle_id = ? LIMIT 1";

    @Column(name = "external_id")
    @Nullable
    String externalId;

    @Column(name = "name")
    String name;

    /** By default, Hibernate writes times before 1582-10-15 in the Julian calendar. */
    @Column(name = "starts_at")
    @JdbcTypeCode(SqlTypes.TIMESTAMP_WITH_TIMEZONE)
    Instant startsAt;

    @Column(name = "ends_at")
    @JdbcTypeCode(SqlTypes.TIMESTAMP_WITH_TIMEZONE)
    Instant endsAt;

    @Column(name = "status")
    CycleStatus status;

    @Column(name = "closed_at")
    @Nullable
    Instant closedAt;

    @Column(name = "final_progress")
    @Nullable
    BigDecimal finalProgress;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Cycle() {}

    /** @throws Failure a conflict if another cycle has the name or the external id */
    static CycleResponse create(CreateCycle request, Instant now, Outbox outbox) {
        return create(UuidV7.at(now), request, now, outbox);
    }

    /**
     * Creates a cycle with an id that the caller has made.
     *
     * @throws Failure a conflict if another cycle has the name or the external id
     */
    public static CycleResponse create(UUID id, CreateCycle request, Instant now, Outbox outbox) {
        TABLE.requireFreeName(IdKind.CYCLE, request.name(), null);
        TABLE.requireFree(IdKind.CYCLE, request.externalId());
        Limit.CYCLES.requireRoom(
                TenantSql.current().first(row -> row.getLong(1), COUNT).orElseThrow());
        var cycle = new Cycle();
        cycle.id = id;
        cycle.externalId = request.externalId();
        cycle.name = request.name();
        cycle.startsAt = request.startsAt();
        cycle.endsAt = request.endsAt();
        cycle.status = CycleStatus.PLANNED;
        cycle.createdAt = now;
        cycle.updatedAt = now;
        cycle.persist();
        var created = CycleResponse.of(cycle, 0, Progress.NONE);
        outbox.created(EventType.CYCLE_CREATED, created.id(), created);
        return created;
    }

    /**
     * Changes the fields that the request contains. The {@link CycleMover} changes the status.
     *
     * <p>Both states in the event have the totals of {@code before}. Otherwise a concurrent change of an objective
     * would look like a change of the cycle.
     *
     * @param before the cycle as the API shows it
     * @throws Failure a conflict if another cycle has the new name or external id, or if a closed cycle would get other
     *     dates
     */
    public CycleResponse update(UpdateCycle request, CycleResponse before, Instant now, Outbox outbox) {
        var newExternalId = request.externalId().applyTo(externalId);
        if (!Objects.equals(newExternalId, externalId)) {
            TABLE.requireFree(IdKind.CYCLE, newExternalId);
        }
        externalId = newExternalId;
        var newName = request.name().orElse(name);
        if (!newName.equals(name)) {
            TABLE.requireFreeName(IdKind.CYCLE, newName, id);
        }
        name = newName;
        var newStart = request.startsAt().orElse(startsAt);
        var newEnd = request.endsAt().orElse(endsAt);
        // Other dates could make it active again.
        ClosedCycle.refuse(closedAt != null && !(newStart.equals(startsAt) && newEnd.equals(endsAt)), id);
        startsAt = newStart;
        endsAt = newEnd;
        return shown(before).equals(before) ? before : changed(before, now, outbox);
    }

    /**
     * Freezes the cycle with its present progress, see {@link ClosedCycle}. Does nothing if it is closed already.
     *
     * @throws Failure a conflict unless the cycle is completed and its end has passed
     */
    public CycleResponse close(Instant now, Outbox outbox) {
        if (closedAt != null) {
            return read(id);
        }
        requireCompleted(id, now, "Only a completed cycle can be closed.");
        ClosedCycle.lock(id);
        // Read under the locks, so that it is final.
        var before = read(id);
        closedAt = now;
        finalProgress = before.overallProgress();
        return changed(before, now, outbox);
    }

    /**
     * Checks that a cycle is completed and that its end has passed. If the end was moved into the future, the cycle
     * stays completed until the next run of {@link CycleMover}.
     *
     * @param rule the sentence that explains the conflict
     * @throws Failure a conflict if the cycle is not completed, or if its end has not passed
     */
    public static void requireCompleted(UUID id, Instant now, String rule) {
        var cycle = read(id);
        if (cycle.status() != CycleStatus.COMPLETED) {
            throw Failure.passingConflict("%s This cycle is %s.".formatted(rule, EnumNames.format(cycle.status())));
        }
        if (cycle.endsAt().isAfter(now)) {
            throw Failure.passingConflict("%s This cycle ends at %s.".formatted(rule, cycle.endsAt()));
        }
    }

    /** Undoes {@link #close}. Does nothing if the cycle is open. */
    public void reopen(Instant now, Outbox outbox) {
        if (closedAt == null) {
            return;
        }
        var before = read(id);
        closedAt = null;
        finalProgress = null;
        changed(before, now, outbox);
    }

    private CycleResponse changed(CycleResponse before, Instant now, Outbox outbox) {
        updatedAt = Timestamps.later(now, updatedAt);
        var changed = shown(before);
        outbox.updated(EventType.CYCLE_UPDATED, changed.id(), before, changed);
        return changed;
    }

    /**
     * Deletes a cycle without objectives. If another transaction moves an objective to it at the same moment, the
     * foreign key of the objective makes one of the two fail. Its retry sees the result of the other.
     *
     * @param shown the cycle as the API shows it
     * @throws Failure a conflict while objectives are in the cycle
     */
    void delete(CycleResponse shown, Outbox outbox) {
        if (TenantSql.current().first(row -> true, HAS_OBJECTIVES, id).isPresent()) {
            throw Failure.passingConflict("The cycle has objectives. Move them to another cycle or delete them first.");
        }
        outbox.deleted(EventType.CYCLE_DELETED, shown.id(), shown);
        CycleTotals.deleteOf(id);
        delete();
    }

    /** The cycle as the API shows it, with the totals of an earlier response. */
    private CycleResponse shown(CycleResponse earlier) {
        return CycleResponse.of(this, earlier.objectivesCount(), earlier.overallProgress());
    }

    public static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure if the organisation has no such cycle */
    public static UUID requireId(String publicId) {
        return IdKind.CYCLE.parse(publicId).filter(Cycle::exists).orElseThrow(() -> Failure.notFound("cycle"));
    }

    /** @throws Failure if the organisation has no such cycle */
    public static CycleResponse require(String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(TABLE.reader(), READ, id))
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    private static CycleResponse read(UUID id) {
        return TenantSql.current().first(TABLE.reader(), READ, id).orElseThrow();
    }

    /**
     * Reads a cycle under a lock on its row, to change it. The lock serialises changes of its dates. The organisation
     * is locked first, because a new name locks it too, and because others lock the cycle after the organisation.
     *
     * @throws Failure if the organisation has no such cycle
     */
    public static Cycle requireLocked(String publicId) {
        TenantSql.current().lockOrganization();
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> Cycle.<Cycle>findByIdOptional(id, LockModeType.PESSIMISTIC_WRITE))
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    static Slice<CycleResponse> list(ListQuery query) {
        return NewestFirst.of(TABLE)
                .with("status", query.constants("status", CycleStatus.class))
                .with("name", query.text("name"))
                .with("external_id", query.externalId())
                .updatedSince(query.time("updated_since"))
                .slice(query);
    }

    /** Stores a status in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<CycleStatus> {
        StatusConverter() {
            super(CycleStatus.class);
        }
    }
}
