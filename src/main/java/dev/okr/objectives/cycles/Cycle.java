package dev.okr.objectives.cycles;

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
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** A period for objectives, such as a quarter. Cycles may overlap. */
@Entity
@DynamicUpdate
@Table(name = "cycle")
public class Cycle extends TenantEntity {
    private static final TenantTable<CycleResponse> TABLE = new TenantTable<>(
            "cycle",
            List.of("id", "name", "starts_at", "ends_at", "status", "created_at", "updated_at"),
            row -> CycleResponse.read(row, CycleTotals.NONE));

    private static final String READ =
            "SELECT " + TABLE.columns("c") + " FROM cycle c WHERE c.organization_id = :organization AND c.id = ?";

    @Column(name = "name")
    String name;

    @Column(name = "starts_at")
    Instant startsAt;

    @Column(name = "ends_at")
    Instant endsAt;

    @Column(name = "status")
    CycleStatus status;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Cycle() {}

    static Cycle create(CreateCycle request, Instant now) {
        var cycle = new Cycle();
        cycle.id = UuidV7.at(now);
        cycle.name = request.name();
        cycle.startsAt = request.startsAt();
        cycle.endsAt = request.endsAt();
        cycle.status = CycleStatus.PLANNED;
        cycle.createdAt = now;
        cycle.updatedAt = now;
        cycle.persist();
        return cycle;
    }

    void update(UpdateCycle request, Instant now) {
        var newName = request.name().orElse(name);
        var newStart = request.startsAt().orElse(startsAt);
        var newEnd = request.endsAt().orElse(endsAt);
        if (newName.equals(name) && newStart.equals(startsAt) && newEnd.equals(endsAt)) {
            return;
        }
        name = newName;
        startsAt = newStart;
        endsAt = newEnd;
        updatedAt = now;
    }

    public static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure if the organisation has no such cycle */
    static CycleResponse require(String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .first(TABLE.reader(), READ, id)
                        .map(cycle -> cycle.with(CycleTotals.of(id))))
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    /** Reads a cycle under a lock on its row, to change it. The lock serialises changes of its dates. */
    static Cycle requireLocked(String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> Cycle.find("id", id)
                        .withLock(LockModeType.PESSIMISTIC_WRITE)
                        .<Cycle>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("cycle"));
    }

    static Slice<CycleResponse> list(ListQuery query, @Nullable CycleStatus status) {
        var cycles = NewestFirst.of(TABLE).with("status", status).slice(query);
        var totals = CycleTotals.of(cycles.items().stream()
                .flatMap(cycle -> IdKind.CYCLE.parse(cycle.id()).stream())
                .toList());
        var items = cycles.items().stream()
                .map(cycle -> cycle.with(totals.getOrDefault(cycle.id(), CycleTotals.NONE)))
                .toList();
        return new Slice<>(items, cycles.total(), cycles.nextCursor());
    }

    /** Stores a status in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<CycleStatus> {
        StatusConverter() {
            super(CycleStatus.class);
        }
    }
}
