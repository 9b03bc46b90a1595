package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A check-in of a key result. Every change of one holds the lock on the objective, see {@link LockedObjective}. */
record CheckIn(KeyResult keyResult, UUID id, CheckInResponse shown) {
    private static final TenantTable<CheckInResponse> TABLE = new TenantTable<>(
            "check_in",
            List.of("id", "key_result_id", "value", "note", "author_id", "created_at", "updated_at"),
            CheckInResponse::read);

    private static final String READ = """
            SELECT %s FROM check_in c WHERE c.organization_id = :organization AND c.id = ? AND c.key_result_id = ?
            """.formatted(TABLE.columns("c"));

    private static final String UPDATE = """
            UPDATE check_in SET value = ?, note = ?, updated_at = ? WHERE organization_id = :organization AND id = ?
            """;

    /** Adds a check-in. Its value becomes the key result's current value. */
    static CheckInResponse create(KeyResult keyResult, CreateCheckIn request, UUID author, Instant now, Outbox outbox) {
        var createdAt = after(keyResult.newestCheckInAt(), now);
        var id = UuidV7.at(createdAt);
        var created = new CheckInResponse(
                IdKind.CHECK_IN.format(id),
                keyResult.shown().id(),
                request.value(),
                request.note(),
                IdKind.USER.format(author),
                createdAt,
                createdAt);
        TABLE.insert(id, keyResult.id(), request.value(), request.note(), author, createdAt, createdAt);
        outbox.created(EventType.CHECK_IN_CREATED, created.id(), created);
        keyResult.checkIn(request.value(), now, outbox);
        return created;
    }

    /** Changes value and note. The value of the newest check-in is also the key result's current value. */
    CheckInResponse update(UpdateCheckIn request, Instant now, Outbox outbox) {
        var value = request.value().orElse(shown.value());
        var note = request.note().applyTo(shown.note());
        boolean isSameValue = value.compareTo(shown.value()) == 0;
        if (isSameValue && Objects.equals(note, shown.note())) {
            return shown;
        }
        var changed = new CheckInResponse(
                shown.id(), shown.keyResultId(), value, note, shown.authorId(), shown.createdAt(), now);
        TenantSql.current().write(UPDATE, value, note, now, id);
        outbox.updated(EventType.CHECK_IN_UPDATED, shown.id(), shown, changed);
        if (!isSameValue && shown.createdAt().equals(keyResult.newestCheckInAt())) {
            keyResult.checkIn(value, now, outbox);
        }
        return changed;
    }

    /** @throws Failure unless the caller is the author or an admin */
    void requireEditableBy(Caller caller) {
        if (!caller.isAdmin() && !shown.authorId().equals(IdKind.USER.format(caller.userId()))) {
            throw Failure.forbidden("Only its author or an admin may change a check-in.");
        }
    }

    /** @throws Failure if the key result has no such check-in */
    static CheckIn require(KeyResult keyResult, String publicId) {
        return IdKind.CHECK_IN
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .first(TABLE.reader(), READ, id, keyResult.id())
                        .map(shown -> new CheckIn(keyResult, id, shown)))
                .orElseThrow(() -> Failure.notFound("check-in"));
    }

    static Slice<CheckInResponse> list(ListQuery query, UUID keyResultId) {
        return NewestFirst.of(TABLE).with("key_result_id", keyResultId).slice(query);
    }

    /**
     * The given time, but later than the newest check-in. The newest check-in determines the current value, so a new
     * one must not sort before it when the clocks of replicas differ.
     */
    private static Instant after(@Nullable Instant newest, Instant now) {
        return newest == null || now.isAfter(newest) ? now : newest.plus(1, ChronoUnit.MICROS);
    }
}
