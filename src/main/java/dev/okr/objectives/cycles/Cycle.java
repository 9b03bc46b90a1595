package dev.okr.objectives.cycles;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * A cycle whose row is locked, to change it. The lock serialises changes of its dates. Cycles may overlap.
 *
 * @param shown the cycle before the change, as the API shows it
 */
public record Cycle(CycleResponse shown) {
    // Triggers of the schema keep the sums. A cycle has 32 rows there, which all database sessions share. So concurrent
    // changes in one cycle seldom wait for each other.
    private static final String TOTALS = """
            , (SELECT sum(t.objectives) FROM cycle_totals t
                WHERE t.organization_id = :organization AND t.cycle_id = {table}.id) AS objectives,
            (SELECT sum(t.progress) FROM cycle_totals t
                WHERE t.organization_id = :organization AND t.cycle_id = {table}.id) AS progress""";

    private static final TenantTable<CycleResponse> TABLE = new TenantTable<>(
            "cycle",
            List.of("id", "name", "starts_at", "ends_at", "status", "created_at", "updated_at"),
            TOTALS,
            row -> CycleResponse.read(row, row.getString("status")));

    private static final String READ =
            "SELECT " + TABLE.columns("c") + " FROM cycle c WHERE c.organization_id = :organization AND c.id = ?";
    private static final String LOCK = READ + " FOR NO KEY UPDATE";

    private static final String UPDATE = """
            UPDATE cycle SET name = ?, starts_at = ?, ends_at = ?, updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    static CycleResponse create(CreateCycle request, Instant now, Outbox outbox) {
        var id = UuidV7.at(now);
        var created = new CycleResponse(
                IdKind.CYCLE.format(id),
                request.name(),
                request.startsAt(),
                request.endsAt(),
                CycleStatus.PLANNED,
                0,
                Progress.NONE,
                now,
                now);
        TABLE.insert(
                id, created.name(), created.startsAt(), created.endsAt(), EnumNames.format(created.status()), now, now);
        outbox.created(EventType.CYCLE_CREATED, created.id(), created);
        return created;
    }

    /** Changes the fields that the request contains. The {@link CycleMover} changes the status. */
    CycleResponse update(UpdateCycle request, Instant now, Outbox outbox) {
        var name = request.name().orElse(shown.name());
        var startsAt = request.startsAt().orElse(shown.startsAt());
        var endsAt = request.endsAt().orElse(shown.endsAt());
        if (name.equals(shown.name()) && startsAt.equals(shown.startsAt()) && endsAt.equals(shown.endsAt())) {
            return shown;
        }
        var changed = new CycleResponse(
                shown.id(),
                name,
                startsAt,
                endsAt,
                shown.status(),
                shown.objectivesCount(),
                shown.overallProgress(),
                shown.createdAt(),
                now);
        TenantSql.current().write(UPDATE, name, startsAt, endsAt, now, IdKind.CYCLE.require(shown.id()));
        outbox.updated(EventType.CYCLE_UPDATED, shown.id(), shown, changed);
        return changed;
    }

    public static boolean exists(UUID id) {
        return TenantSql.current().exists(TABLE, id);
    }

    /** @throws Failure if the organisation has no such cycle */
    static CycleResponse require(String publicId) {
        return read(READ, publicId);
    }

    /** @throws Failure if the organisation has no such cycle */
    static Cycle requireLocked(String publicId) {
        return new Cycle(read(LOCK, publicId));
    }

    static Slice<CycleResponse> list(ListQuery query) {
        return NewestFirst.of(TABLE)
                .with("status", query.constant("status", CycleStatus.class))
                .slice(query);
    }

    private static CycleResponse read(String statement, String publicId) {
        return IdKind.CYCLE
                .parse(publicId)
                .flatMap(id -> TenantSql.current().first(TABLE.reader(), statement, id))
                .orElseThrow(() -> Failure.notFound("cycle"));
    }
}
