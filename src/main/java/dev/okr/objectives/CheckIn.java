package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.Limit;
import dev.okr.organizations.User;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A check-in of a key result. Every change holds the lock on the objective, see {@link LockedObjective}. The last
 * recorded check-in of a key result determines its current value and its confidence. No two check-ins of a key result
 * are recorded at the same time.
 */
public record CheckIn(KeyResult keyResult, UUID id, CheckInResponse shown) {
    public static final TenantTable<CheckInResponse> TABLE = new TenantTable<>(
            "check_in",
            List.of(
                    "id",
                    "external_id",
                    "key_result_id",
                    "value",
                    "note",
                    "confidence",
                    "author_id",
                    "recorded_at",
                    "created_at",
                    "updated_at"),
            """
            , (SELECT k.objective_id FROM key_result k
                WHERE k.organization_id = :organization AND k.id = {table}.key_result_id) AS {prefix}objective_id""",
            CheckInResponse::read);

    private static final String READ = """
            SELECT %s FROM check_in c WHERE c.organization_id = :organization AND c.id = ? AND c.key_result_id = ?
            """.formatted(TABLE.columns("c"));

    private static final String READ_LAST_EXCEPT = """
            SELECT %s FROM check_in c WHERE c.organization_id = :organization AND c.key_result_id = ? AND c.id <> ?
            ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT 1
            """.formatted(TABLE.columns("c"));

    public static final String FIND_RECORDED_AT = """
            SELECT c.id, c.key_result_id, coalesce(c.recorded_at, c.created_at) AS recorded_at
            FROM unnest(?::uuid[], ?::timestamptz[]) AS t (key_result_id, recorded_at)
            JOIN check_in c ON c.organization_id = :organization AND c.key_result_id = t.key_result_id
                AND coalesce(c.recorded_at, c.created_at) = t.recorded_at
            """;

    private static final String UPDATE = """
            UPDATE check_in
            SET external_id = ?, value = ?, note = ?, confidence = ?, recorded_at = ?, updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    private static final String DELETE = "DELETE FROM check_in WHERE organization_id = :organization AND id = ?";

    private static final String OF_KEY_RESULTS_OF = """
            e.key_result_id IN (
                SELECT k.id FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?)""";

    private static final String OF_KEY_RESULTS_IN_CYCLE = """
            e.key_result_id IN (
                SELECT k.id FROM key_result k
                JOIN objective o ON o.organization_id = :organization AND o.id = k.objective_id
                WHERE k.organization_id = :organization AND o.cycle_id = ?)""";

    /** A time at which a check-in of a key result was recorded. */
    public record Recording(String keyResultId, Instant at) {}

    /**
     * Adds a check-in. If it is the last recorded one, its value becomes the key result's current value.
     *
     * @throws Failure a conflict if the cycle is closed, or if another check-in has the external id, or the time for
     *     the same key result; {@code limit_reached} if the key result has too many check-ins
     */
    static CheckInResponse create(KeyResult keyResult, CreateCheckIn request, UUID author, Instant now, Outbox outbox) {
        return create(UuidV7.at(now), keyResult, request, author, now, outbox);
    }

    /** Adds a check-in with an id that the caller has made. No check-in may have this id. */
    static CheckInResponse create(
            UUID id, KeyResult keyResult, CreateCheckIn request, UUID author, Instant now, Outbox outbox) {
        keyResult.objective().requireOpen();
        int existing = keyResult.checkIns();
        Limit.CHECK_INS_PER_KEY_RESULT.requireRoom(existing);
        var created = of(id, keyResult, keyResult.standing(), request, author, now);
        TABLE.requireFree(IdKind.CHECK_IN, created.externalId());
        if (request.recordedAt() != null) {
            requireFreeTime(created);
        }
        TABLE.insert(row(keyResult, created, author));
        outbox.created(EventType.CHECK_IN_CREATED, created.id(), created);
        var standing = keyResult.standing().after(created);
        keyResult.checkIn(standing.value(), standing.confidence(), existing + 1, now, outbox);
        return created;
    }

    /**
     * A new check-in, which is not stored yet.
     *
     * @param standing the standing of the key result before this check-in
     */
    static CheckInResponse of(
            KeyResult keyResult, KeyResultStanding standing, CreateCheckIn request, UUID author, Instant now) {
        return of(UuidV7.at(now), keyResult, standing, request, author, now);
    }

    private static CheckInResponse of(
            UUID id, KeyResult keyResult, KeyResultStanding standing, CreateCheckIn request, UUID author, Instant now) {
        var last = standing.lastRecordedAt();
        var next = last == null ? now : Timestamps.later(now, last);
        return new CheckInResponse(
                IdKind.CHECK_IN.format(id),
                request.externalId(),
                keyResult.shown().id(),
                keyResult.shown().objectiveId(),
                request.valueAfter(standing.value()),
                request.note(),
                request.confidence(),
                IdKind.USER.format(author),
                Objects.requireNonNullElse(request.recordedAt(), next),
                now,
                now);
    }

    /** The values of {@link #TABLE}'s columns. */
    static @Nullable Object[] row(KeyResult keyResult, CheckInResponse created, UUID author) {
        return new @Nullable Object[] {
            IdKind.CHECK_IN.require(created.id()),
            created.externalId(),
            keyResult.id(),
            created.value(),
            created.note(),
            created.confidence(),
            author,
            created.recordedAt(),
            created.createdAt(),
            created.updatedAt()
        };
    }

    /**
     * Changes the fields that the request contains. The value of the last recorded check-in is also the key result's
     * current value. A new time can make another check-in the last one.
     *
     * @throws Failure a conflict if the cycle is closed, or if another check-in has the external id, or the time for
     *     the same key result
     */
    CheckInResponse update(UpdateCheckIn request, Instant now, Outbox outbox) {
        keyResult.objective().requireOpen();
        var changed = shown.with(request, now);
        if (changed.isSameAs(shown)) {
            return shown;
        }
        if (!Objects.equals(changed.externalId(), shown.externalId())) {
            TABLE.requireFree(IdKind.CHECK_IN, changed.externalId());
        }
        if (!changed.recordedAt().equals(shown.recordedAt())) {
            requireFreeTime(changed);
        }
        TenantSql.current()
                .write(
                        UPDATE,
                        changed.externalId(),
                        changed.value(),
                        changed.note(),
                        changed.confidence(),
                        changed.recordedAt(),
                        changed.updatedAt(),
                        id);
        outbox.updated(EventType.CHECK_IN_UPDATED, shown.id(), shown, changed);
        updateKeyResult(changed, now, outbox);
        return changed;
    }

    /**
     * Deletes the check-in. If it was the last recorded one, the key result takes the value of the one before.
     *
     * @throws Failure if the cycle is closed
     */
    void delete(Instant now, Outbox outbox) {
        keyResult.objective().requireOpen();
        outbox.deleted(EventType.CHECK_IN_DELETED, shown.id(), shown);
        var stored = keyResult.storedCheckIns();
        var checkInsAfter = stored == null ? null : Integer.valueOf(stored - 1);
        if (rules()) {
            returnTo(lastExceptThis(), checkInsAfter, now, outbox);
        } else {
            keyResult.checkIn(
                    keyResult.shown().currentValue(), keyResult.shown().confidence(), checkInsAfter, now, outbox);
        }
        TenantSql.current().write(DELETE, id);
    }

    private void updateKeyResult(CheckInResponse changed, Instant now, Outbox outbox) {
        var other = changed.recordedAt().equals(shown.recordedAt()) && rules()
                ? Optional.<CheckInResponse>empty()
                : lastExceptThis();
        boolean rulesNow =
                other.isEmpty() || changed.recordedAt().isAfter(other.get().recordedAt());
        if (rulesNow) {
            // A current value that was set without a check-in stays until a check-in has another value.
            boolean isSameValue = rules() && changed.value().compareTo(shown.value()) == 0;
            var value = isSameValue ? keyResult.shown().currentValue() : changed.value();
            keyResult.checkIn(value, changed.confidence(), keyResult.storedCheckIns(), now, outbox);
        } else if (rules()) {
            returnTo(other, keyResult.storedCheckIns(), now, outbox);
        }
    }

    private void returnTo(Optional<CheckInResponse> last, @Nullable Integer checkInsAfter, Instant now, Outbox outbox) {
        keyResult.checkIn(
                last.map(CheckInResponse::value).orElse(keyResult.shown().startValue()),
                last.map(CheckInResponse::confidence).orElse(null),
                checkInsAfter,
                now,
                outbox);
    }

    /** Whether this was the last recorded check-in before the change. */
    private boolean rules() {
        return shown.recordedAt().equals(keyResult.lastRecordedAt());
    }

    private Optional<CheckInResponse> lastExceptThis() {
        return TenantSql.current().first(TABLE.reader(), READ_LAST_EXCEPT, keyResult.id(), id);
    }

    private static void requireFreeTime(CheckInResponse checkIn) {
        findRecordedAt(List.of(checkIn)).values().stream().findFirst().ifPresent(other -> {
            throw timeTaken(other);
        });
    }

    /** The stored check-ins that have the time of one of these for the same key result. */
    static Map<Recording, UUID> findRecordedAt(Collection<CheckInResponse> checkIns) {
        var found = new HashMap<Recording, UUID>();
        TenantSql.current()
                .list(
                        row -> found.put(
                                new Recording(
                                        IdKind.KEY_RESULT.format(Sql.uuid(row, "key_result_id")),
                                        Sql.instant(row, "recorded_at")),
                                Sql.uuid(row, "id")),
                        FIND_RECORDED_AT,
                        checkIns.stream()
                                .map(each -> IdKind.KEY_RESULT.require(each.keyResultId()))
                                .toList(),
                        checkIns.stream().map(CheckInResponse::recordedAt).toList());
        return found;
    }

    static Failure timeTaken(UUID other) {
        return Failure.conflict("The check-in %s of this key result has the same recorded_at."
                .formatted(IdKind.CHECK_IN.format(other)));
    }

    /** @throws Failure unless the caller is the author or an admin */
    void requireEditableBy(Caller caller) {
        if (!shown.authorId().equals(IdKind.USER.format(caller.userId())) && !User.isAdmin(caller.userId())) {
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

    /** Lists the check-ins that the filters of the query select, of one key result or of all. */
    static Slice<CheckInResponse> list(ListQuery query, @Nullable UUID keyResultId) {
        var checkIns = NewestFirst.of(TABLE)
                .with("key_result_id", keyResultId)
                .with("key_result_id", query.id("key_result_id", IdKind.KEY_RESULT))
                .with("author_id", query.id("author_id", IdKind.USER))
                .with("external_id", query.externalId())
                .updatedSince(query.time("updated_since"));
        var objectiveId = query.id("objective_id", IdKind.OBJECTIVE);
        if (objectiveId != null) {
            checkIns.where(OF_KEY_RESULTS_OF, objectiveId);
        }
        var cycleId = query.id("cycle_id", IdKind.CYCLE);
        if (cycleId != null) {
            checkIns.planned().where(OF_KEY_RESULTS_IN_CYCLE, cycleId);
        }
        var since = query.time("recorded_since");
        if (since != null) {
            checkIns.planned().where("coalesce(e.recorded_at, e.created_at) >= ?", since);
        }
        var before = query.time("recorded_before");
        if (before != null) {
            checkIns.planned().where("coalesce(e.recorded_at, e.created_at) < ?", before);
        }
        return checkIns.slice(query);
    }
}
