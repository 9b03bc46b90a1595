package dev.okr.objectives;

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
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key result that is read under the lock on its objective, to change it. It is not a Hibernate entity, to save round
 * trips. One round trip locks the objective and reads the key result. Another one before the commit writes all changes.
 *
 * @param shown the key result before the change, as the API shows it
 * @param newestCheckInAt when the newest check-in was created; null without check-ins
 */
record KeyResult(
        LockedObjective objective,
        UUID id,
        KeyResultResponse shown,
        @Nullable Instant newestCheckInAt) {
    static final TenantTable<KeyResultResponse> TABLE = new TenantTable<>(
            "key_result",
            List.of(
                    "id",
                    "objective_id",
                    "title",
                    "metric_type",
                    "start_value",
                    "current_value",
                    "target_value",
                    "progress",
                    "owner_id",
                    "created_at",
                    "updated_at"),
            KeyResultResponse::read);

    static final String NOUN = "key result";

    private static final String LOCK_AND_READ = LockedObjective.LOCK.formatted(
                    "(SELECT k.objective_id FROM key_result k WHERE k.organization_id = :organization AND k.id = ?)")
            + """
            SELECT %s,
                (SELECT max(c.created_at) FROM check_in c
                    WHERE c.organization_id = :organization AND c.key_result_id = k.id) AS newest_check_in_at,
                sum(each.progress) AS progress_sum, count(*) AS key_results
            FROM key_result k
            JOIN key_result each ON each.organization_id = :organization AND each.objective_id = k.objective_id
            WHERE k.organization_id = :organization AND k.id = ?
            GROUP BY k.organization_id, k.id
            """.formatted(TABLE.columns("k"));

    private static final String UPDATE = """
            UPDATE key_result SET title = ?, current_value = ?, target_value = ?, progress = ?, updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    private static final String OF_OBJECTIVE = """
            SELECT %s FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?
            ORDER BY k.created_at, k.id
            """.formatted(TABLE.columns("k"));

    private static final String DELETE_CHECK_INS =
            "DELETE FROM check_in WHERE organization_id = :organization AND key_result_id = ?";
    private static final String DELETE = "DELETE FROM key_result WHERE organization_id = :organization AND id = ?";

    static KeyResultResponse create(
            LockedObjective objective, CreateKeyResult request, UUID author, Instant now, Outbox outbox) {
        var id = UuidV7.at(now);
        var ownerId = Objects.requireNonNullElse(request.ownerId(), author);
        var created = new KeyResultResponse(
                IdKind.KEY_RESULT.format(id),
                objective.shown().id(),
                request.title(),
                request.metricType(),
                request.startValue(),
                request.startValue(),
                request.targetValue(),
                Progress.NONE,
                IdKind.USER.format(ownerId),
                now,
                now);
        TABLE.insert(
                id,
                objective.id(),
                created.title(),
                EnumNames.format(created.metricType()),
                created.startValue(),
                created.currentValue(),
                created.targetValue(),
                created.progress(),
                ownerId,
                now,
                now);
        outbox.created(EventType.KEY_RESULT_CREATED, created.id(), created);
        objective.rollUp(objective.progressSum(), objective.keyResultCount() + 1, now, outbox);
        return created;
    }

    KeyResultResponse update(UpdateKeyResult request, Instant now, Outbox outbox) {
        return change(
                request.title().orElse(shown.title()),
                request.currentValue().orElse(shown.currentValue()),
                request.targetValue().orElse(shown.targetValue()),
                now,
                outbox);
    }

    /** Sets the current value to the value of the newest check-in. */
    void checkIn(BigDecimal value, Instant now, Outbox outbox) {
        change(shown.title(), value, shown.targetValue(), now, outbox);
    }

    private KeyResultResponse change(
            String title, BigDecimal currentValue, BigDecimal targetValue, Instant now, Outbox outbox) {
        if (title.equals(shown.title())
                && currentValue.compareTo(shown.currentValue()) == 0
                && targetValue.compareTo(shown.targetValue()) == 0) {
            return shown;
        }
        var progress = Progress.between(shown.startValue(), currentValue, targetValue);
        var changed = shown.with(title, currentValue, targetValue, progress, now);
        TenantSql.current().write(UPDATE, title, currentValue, targetValue, progress, now, id);
        outbox.updated(EventType.KEY_RESULT_UPDATED, shown.id(), shown, changed);
        var sum = objective.progressSum().subtract(shown.progress()).add(progress);
        objective.rollUp(sum, objective.keyResultCount(), now, outbox);
        return changed;
    }

    /** Deletes the key result with its check-ins. */
    void delete(Instant now, Outbox outbox) {
        delete(shown, outbox);
        var sum = objective.progressSum().subtract(shown.progress());
        objective.rollUp(sum, objective.keyResultCount() - 1, now, outbox);
    }

    /** Deletes all key results of an objective with their check-ins, before the objective itself is deleted. */
    static void deleteOf(UUID objectiveId, Outbox outbox) {
        TenantSql.current()
                .list(TABLE.reader(), OF_OBJECTIVE, objectiveId)
                .forEach(keyResult -> delete(keyResult, outbox));
    }

    private static void delete(KeyResultResponse keyResult, Outbox outbox) {
        var id = IdKind.KEY_RESULT.parse(keyResult.id()).orElseThrow();
        outbox.deleted(EventType.KEY_RESULT_DELETED, keyResult.id(), keyResult);
        TenantSql.current().write(DELETE_CHECK_INS, id);
        TenantSql.current().write(DELETE, id);
    }

    /** @throws Failure if the organisation has no such key result */
    static UUID requireId(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .filter(id -> TenantSql.current().exists(TABLE, id))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /**
     * Locks the objective of a key result and reads both under that lock.
     *
     * @throws Failure if the organisation has no such key result
     */
    static KeyResult requireLocked(String publicId) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> TenantSql.current()
                        .firstOfBoth(Objective.TABLE.reader(), Row::read, KeyResult::of, LOCK_AND_READ, id, id))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** @throws Failure if the objective has no such key result */
    static KeyResult requireLocked(String objectiveId, String publicId) {
        var keyResult = requireLocked(publicId);
        if (!keyResult.shown.objectiveId().equals(objectiveId)) {
            throw Failure.notFound(NOUN);
        }
        return keyResult;
    }

    static Slice<KeyResultResponse> list(ListQuery query, UUID objectiveId) {
        return NewestFirst.of(TABLE).with("objective_id", objectiveId).slice(query);
    }

    /** The row that the second statement of {@link #LOCK_AND_READ} returns. */
    private record Row(
            UUID id, KeyResultResponse shown, @Nullable Instant newestCheckInAt, LockedObjective.Totals totals) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    Sql.uuid(row, "id"),
                    KeyResultResponse.read(row),
                    Sql.instantOrNull(row, "newest_check_in_at"),
                    LockedObjective.Totals.read(row));
        }
    }

    private static KeyResult of(ObjectiveResponse objective, Row row) {
        return new KeyResult(LockedObjective.of(objective, row.totals), row.id, row.shown, row.newestCheckInAt);
    }
}
