package dev.okr.objectives;

import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.objectives.cycles.ClosedCycle;
import dev.okr.objectives.progress.Progress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.organizations.tenant.WordTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonValue;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key result that is read under the lock on its objective, to change it. It is not a Hibernate entity, to save round
 * trips. One round trip locks the objective and reads the key result. Another one before the commit writes all changes.
 *
 * @param shown the key result before the change, as the API shows it
 * @param lastRecordedAt {@code recorded_at} of the last recorded check-in; null without check-ins
 * @param storedCheckIns the number of its check-ins; null if they are not counted yet
 */
public record KeyResult(
        LockedObjective objective,
        UUID id,
        KeyResultResponse shown,
        @Nullable Instant lastRecordedAt,
        @Nullable Integer storedCheckIns) {
    public static final TenantTable<KeyResultResponse> TABLE = new TenantTable<>(
            "key_result",
            List.of(
                    "id",
                    "external_id",
                    "objective_id",
                    "title",
                    "metric_type",
                    "start_value",
                    "current_value",
                    "target_value",
                    "progress",
                    "weight",
                    "owner_id",
                    "created_at",
                    "updated_at"),
            """
            , (SELECT c.confidence FROM check_in c
                WHERE c.organization_id = :organization AND c.key_result_id = {table}.id
                ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT 1) AS {prefix}confidence""",
            KeyResultResponse::read);

    public static final WordTable WORDS = new WordTable("key_result_words");

    static final String NOUN = "key result";

    /** The key result {@code k} with its last check-in, and the totals of its objective. */
    private static final String READ =
            """
            SELECT %s,
                (SELECT max(coalesce(c.recorded_at, c.created_at)) FROM check_in c
                    WHERE c.organization_id = :organization AND c.key_result_id = k.id) AS last_recorded_at,
                k.check_ins, sum(each.weight * each.progress) AS progress_sum, sum(each.weight) AS weight_sum,
                count(*) AS key_results, %s AS closed
            FROM key_result k
            JOIN key_result each ON each.organization_id = :organization AND each.objective_id = k.objective_id
            WHERE k.organization_id = :organization AND k.id = %%s
            GROUP BY k.organization_id, k.id
            """.formatted(TABLE.columns("k"), ClosedCycle.IS_CLOSED.formatted("k.objective_id"));

    private static final String LOCK_AND_READ = LockedObjective.LOCK.formatted(
                    "(SELECT k.objective_id FROM key_result k WHERE k.organization_id = :organization AND k.id = ?)")
            + READ.formatted("?");

    private static final String LOCK_ALL = LockedObjective.LOCK_ALL.formatted("""
            (SELECT k.objective_id FROM key_result k WHERE k.organization_id = :organization AND k.id = ANY (?))""");
    private static final String READ_ALL = READ.formatted("ANY (?)");

    private static final String UPDATE = """
            UPDATE key_result
            SET external_id = ?, title = ?, current_value = ?, target_value = ?, progress = ?, weight = ?, owner_id = ?,
                updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    private static final String UPDATE_VALUE = """
            UPDATE key_result SET current_value = ?, progress = ?, updated_at = ?, check_ins = ?
            WHERE organization_id = :organization AND id = ?
            """;

    private static final String UPDATE_VALUES = """
            UPDATE key_result k SET current_value = v.current_value, progress = v.progress,
                updated_at = v.updated_at, check_ins = v.check_ins
            FROM unnest(?::uuid[], ?::numeric[], ?::numeric[], ?::timestamptz[], ?::integer[])
                AS v (id, current_value, progress, updated_at, check_ins)
            WHERE k.organization_id = :organization AND k.id = v.id
            """;

    /** Counts at most as many as the limit, because key results of earlier versions can have millions. */
    private static final String COUNT_CHECK_INS = """
            SELECT k.id, coalesce(k.check_ins, (
                SELECT count(*) FROM (
                    SELECT 1 FROM check_in c WHERE c.organization_id = :organization AND c.key_result_id = k.id
                    ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT ?) counted)) AS check_ins
            FROM key_result k WHERE k.organization_id = :organization AND k.id = ANY (?)
            """;

    private static final String OF_OBJECTIVE = """
            SELECT %s FROM key_result k WHERE k.organization_id = :organization AND k.objective_id = ?
            ORDER BY k.created_at, k.id
            """.formatted(TABLE.columns("k"));

    private static final String OF_OBJECTIVES_WITH = """
            e.objective_id IN (
                SELECT o.id FROM objective o WHERE o.organization_id = :organization AND o.%s = ?)""";

    private static final String NOT_CHECKED_IN_SINCE = """
            NOT EXISTS (
                SELECT 1 FROM check_in c WHERE c.organization_id = :organization AND c.key_result_id = e.id
                    AND coalesce(c.recorded_at, c.created_at) >= ?)""";

    private static final String DELETE_CHECK_INS =
            "DELETE FROM check_in WHERE organization_id = :organization AND key_result_id = ?";
    private static final String DELETE = "DELETE FROM key_result WHERE organization_id = :organization AND id = ?";

    private static final String DELETE_ALL_CHECK_INS = """
            DELETE FROM check_in c USING key_result k
            WHERE c.organization_id = :organization AND c.key_result_id = k.id
                AND k.organization_id = :organization AND k.objective_id = ?
            """;
    private static final String DELETE_ALL =
            "DELETE FROM key_result WHERE organization_id = :organization AND objective_id = ?";

    /** @throws Failure if the cycle is closed, if another key result has the external id, or if a limit is reached */
    static KeyResultResponse create(
            LockedObjective objective, CreateKeyResult request, UUID author, Instant now, Outbox outbox) {
        return create(UuidV7.at(now), objective, request, author, now, outbox);
    }

    /**
     * Adds a key result with an id that the caller has made.
     *
     * @throws Failure like the method without an id
     */
    static KeyResultResponse create(
            UUID id, LockedObjective objective, CreateKeyResult request, UUID author, Instant now, Outbox outbox) {
        objective.requireOpen();
        Limit.KEY_RESULTS_PER_OBJECTIVE.requireRoom(objective.totals().keyResults());
        TABLE.requireFree(IdKind.KEY_RESULT, request.externalId());
        var created = KeyResultResponse.ofNew(id, objective.shown().id(), request, author, now);
        putWords(List.of(created));
        insertAll(List.of(created), outbox);
        objective.rollUp(objective.totals().with(created), now, outbox);
        return created;
    }

    /**
     * The first key results of an objective. Their times of creation differ, so that lists have the order of the requests.
     *
     * @throws Failure if there are too many
     */
    static List<KeyResultResponse> ofNew(ObjectiveResponse objective, List<CreateKeyResult> requests, UUID author) {
        var created = new ArrayList<KeyResultResponse>();
        for (var request : requests) {
            Limit.KEY_RESULTS_PER_OBJECTIVE.requireRoom(created.size());
            var createdAt = objective.createdAt().plus(created.size(), ChronoUnit.MICROS);
            created.add(KeyResultResponse.ofNew(UuidV7.at(createdAt), objective.id(), request, author, createdAt));
        }
        return created;
    }

    /**
     * Adds key results. The caller has checked them and writes their words. The progress of their objectives does not
     * change. The transaction must hold the locks on the objectives, or have created them.
     */
    static void insertAll(List<KeyResultResponse> all, Outbox outbox) {
        TABLE.insertAll(all.stream().map(KeyResultResponse::row).toList());
        all.forEach(each -> outbox.created(EventType.KEY_RESULT_CREATED, each.id(), each));
    }

    /** Call it before the key results are written, because of the triggers. */
    static void putWords(List<KeyResultResponse> all) {
        WORDS.putAll(all.stream()
                .map(each -> WordTable.Entry.of(IdKind.KEY_RESULT.require(each.id()), each.createdAt(), each.title()))
                .toList());
    }

    /**
     * Checks that a user may change the owner, if a request contains another owner. Runs before the validation, so the
     * fields may be invalid.
     *
     * @throws Failure unless the user owns the key result or may change the owner of its objective
     */
    void requireMayChange(Map<String, JsonValue> fields, UUID userId) {
        if (Objective.isOther(fields.get("owner_id"), shown.ownerId())
                && !shown.ownerId().equals(IdKind.USER.format(userId))) {
            Objective.requireManagedBy(userId, objective.shown(), "change the owner of somebody else's key result");
        }
    }

    /**
     * Changes the fields that the request contains. Call {@link #requireMayChange} first.
     *
     * @throws Failure a conflict if the cycle is closed, or if another key result has the new external id
     */
    KeyResultResponse update(UpdateKeyResult request, Instant now, Outbox outbox) {
        objective.requireOpen();
        var currentValue = request.currentValue().orElse(shown.currentValue());
        var targetValue = request.targetValue().orElse(shown.targetValue());
        var progress = Progress.between(shown.startValue(), currentValue, targetValue);
        var changed = shown.with(request, progress, now);
        boolean isNewExternalId = !Objects.equals(changed.externalId(), shown.externalId());
        if (!isNewExternalId
                && changed.title().equals(shown.title())
                && changed.ownerId().equals(shown.ownerId())
                && changed.weight().compareTo(shown.weight()) == 0
                && currentValue.compareTo(shown.currentValue()) == 0
                && targetValue.compareTo(shown.targetValue()) == 0) {
            return shown;
        }
        if (isNewExternalId) {
            TABLE.requireFree(IdKind.KEY_RESULT, changed.externalId());
        }
        if (!changed.title().equals(shown.title())) {
            WORDS.put(id, shown.createdAt(), changed.title());
        }
        if (currentValue.compareTo(shown.currentValue()) != 0) {
            SetValues.add(id, now, currentValue);
        }
        TenantSql.current()
                .write(
                        UPDATE,
                        changed.externalId(),
                        changed.title(),
                        currentValue,
                        targetValue,
                        progress,
                        changed.weight(),
                        IdKind.USER.require(changed.ownerId()),
                        changed.updatedAt(),
                        id);
        outbox.updated(EventType.KEY_RESULT_UPDATED, shown.id(), shown, changed);
        rollUp(changed, now, outbox);
        return changed;
    }

    /**
     * Takes the value and the confidence of the check-in that is now the last recorded one, and updates the progress up
     * to the cycle.
     *
     * @param confidence null if the check-in has none, or if there is no check-in
     * @param checkInsAfter the number of check-ins after the change; null if not known
     */
    void checkIn(
            BigDecimal value,
            @Nullable Integer confidence,
            @Nullable Integer checkInsAfter,
            Instant now,
            Outbox outbox) {
        var changed = checkedIn(value, confidence, now);
        if (changed != shown || !Objects.equals(checkInsAfter, storedCheckIns)) {
            TenantSql.current()
                    .write(
                            UPDATE_VALUE,
                            changed.currentValue(),
                            changed.progress(),
                            changed.updatedAt(),
                            checkInsAfter,
                            id);
        }
        if (changed != shown) {
            outbox.updated(EventType.KEY_RESULT_UPDATED, shown.id(), shown, changed);
            rollUp(changed, now, outbox);
        }
    }

    /** The key result as {@link #checkIn} leaves it. The same as {@link #shown} if nothing changes. */
    KeyResultResponse checkedIn(BigDecimal value, @Nullable Integer confidence, Instant now) {
        return value.compareTo(shown.currentValue()) == 0 && Objects.equals(confidence, shown.confidence())
                ? shown
                : shown.with(value, confidence, Progress.between(shown.startValue(), value, shown.targetValue()), now);
    }

    /**
     * Writes what {@link #checkedIn} returned for several key results, without their objectives.
     *
     * @param checkIns the number of check-ins of each
     */
    static void writeAll(List<KeyResultResponse> changed, List<Integer> checkIns) {
        TenantSql.current()
                .write(
                        UPDATE_VALUES,
                        changed.stream()
                                .map(each -> IdKind.KEY_RESULT.require(each.id()))
                                .toList(),
                        changed.stream().map(KeyResultResponse::currentValue).toList(),
                        changed.stream().map(KeyResultResponse::progress).toList(),
                        changed.stream().map(KeyResultResponse::updatedAt).toList(),
                        checkIns);
    }

    /**
     * The number of check-ins of each key result. If it is not stored, it is counted up to the limit. The number is exact
     * only if the caller holds the locks on the objectives, because every transaction that adds or deletes check-ins holds
     * them. Each added check-in stores the number.
     */
    public static Map<UUID, Integer> countCheckIns(Collection<UUID> ids) {
        var counts = new HashMap<UUID, Integer>();
        if (ids.isEmpty()) {
            return counts;
        }
        TenantSql.current()
                .listPlanned(
                        row -> counts.put(Sql.uuid(row, "id"), row.getInt("check_ins")),
                        COUNT_CHECK_INS,
                        Limit.CHECK_INS_PER_KEY_RESULT.value(),
                        ids);
        return counts;
    }

    /** Like {@link #countCheckIns}. It reads nothing if all numbers are stored. */
    static Map<UUID, Integer> checkIns(Collection<KeyResult> keyResults) {
        var unknown = keyResults.stream()
                .filter(each -> each.storedCheckIns == null && each.lastRecordedAt != null)
                .map(KeyResult::id)
                .toList();
        var counts = countCheckIns(unknown);
        keyResults.forEach(each -> counts.putIfAbsent(each.id, each.storedCheckIns == null ? 0 : each.storedCheckIns));
        return counts;
    }

    /** The number of check-ins. If it is not stored, it is counted up to the limit. */
    int checkIns() {
        return checkIns(List.of(this)).getOrDefault(id, 0);
    }

    KeyResultStanding standing() {
        return new KeyResultStanding(shown.currentValue(), shown.confidence(), lastRecordedAt);
    }

    private void rollUp(KeyResultResponse changed, Instant now, Outbox outbox) {
        objective.rollUp(objective.totals().without(shown).with(changed), now, outbox);
    }

    /**
     * Deletes the key result with its check-ins.
     *
     * @throws Failure if the cycle is closed
     */
    void delete(Instant now, Outbox outbox) {
        objective.requireOpen();
        outbox.deleted(EventType.KEY_RESULT_DELETED, shown.id(), shown);
        TenantSql.current().write(DELETE_CHECK_INS, id);
        SetValues.deleteOf(id);
        TenantSql.current().write(DELETE, id);
        objective.rollUp(objective.totals().without(shown), now, outbox);
    }

    /** Deletes all key results of an objective with their check-ins, before the objective itself is deleted. */
    static void deleteOf(UUID objectiveId, Outbox outbox) {
        // Read before the check-ins are deleted, because a key result shows the confidence of the last one.
        allOf(objectiveId)
                .forEach(keyResult -> outbox.deleted(EventType.KEY_RESULT_DELETED, keyResult.id(), keyResult));
        TenantSql.current().write(DELETE_ALL_CHECK_INS, objectiveId);
        TenantSql.current().write(DELETE_ALL, objectiveId);
    }

    /** All key results of an objective, oldest first. */
    static List<KeyResultResponse> allOf(UUID objectiveId) {
        return TenantSql.current().list(TABLE.reader(), OF_OBJECTIVE, objectiveId);
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
                        .firstOfBoth(LockedObjective.Locked::read, Row::read, KeyResult::of, LOCK_AND_READ, id, id))
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

    /**
     * Locks the objectives of several key results and reads all under these locks.
     *
     * @return the key results that the organisation has, by id
     */
    static Map<UUID, KeyResult> lockAll(Collection<UUID> ids) {
        var sql = TenantSql.current();
        var objectives = sql.list(Objective.TABLE.reader(), LOCK_ALL, ids).stream()
                .collect(Collectors.toMap(ObjectiveResponse::id, each -> new LockedObjective.Locked(each, false)));
        // A new statement, which sees what the previous holders of the locks committed.
        var rows = sql.list(Row::read, READ_ALL, ids);
        var rollingUp = rows.stream()
                .map(row -> row.shown.objectiveId())
                .filter(id -> !objectives.containsKey(id))
                .map(IdKind.OBJECTIVE::require)
                .distinct()
                .toList();
        if (!rollingUp.isEmpty()) {
            ContributionLock.requireShared();
            RollUp.lock(rollingUp).forEach((id, each) -> objectives.put(id, new LockedObjective.Locked(each, true)));
            rows = sql.list(Row::read, READ_ALL, ids);
        }
        return rows.stream()
                .flatMap(row -> Stream.ofNullable(objectives.get(row.shown.objectiveId()))
                        .map(objective -> of(objective, row)))
                .collect(Collectors.toMap(KeyResult::id, Function.identity()));
    }

    /** Lists the key results that the filters of the query select, of one objective or of all. */
    static Slice<KeyResultResponse> list(ListQuery query, @Nullable UUID objectiveId) {
        var keyResults = NewestFirst.of(TABLE)
                .with("objective_id", objectiveId)
                .with("objective_id", query.id("objective_id", IdKind.OBJECTIVE))
                .with("owner_id", query.id("owner_id", IdKind.USER))
                .with("metric_type", query.constant("metric_type", MetricType.class))
                .with("external_id", query.externalId())
                .updatedSince(query.time("updated_since"));
        var cycleId = query.id("cycle_id", IdKind.CYCLE);
        if (cycleId != null) {
            keyResults.where(OF_OBJECTIVES_WITH.formatted("cycle_id"), cycleId);
        }
        var teamId = query.id("team_id", IdKind.TEAM);
        if (teamId != null) {
            keyResults.where(OF_OBJECTIVES_WITH.formatted("team_id"), teamId);
        }
        var staleSince = query.time("stale_since");
        if (staleSince != null) {
            keyResults.planned().where(NOT_CHECKED_IN_SINCE, staleSince);
        }
        return keyResults.search(WORDS, query.words(), query.sort()).slice(query);
    }

    /** The row that {@link #READ} returns. */
    private record Row(
            UUID id,
            KeyResultResponse shown,
            @Nullable Instant lastRecordedAt,
            @Nullable Integer checkIns,
            LockedObjective.Inside inside) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    Sql.uuid(row, "id"),
                    KeyResultResponse.read(row),
                    Sql.instantOrNull(row, "last_recorded_at"),
                    row.getObject("check_ins", Integer.class),
                    LockedObjective.Inside.read(row));
        }
    }

    private static KeyResult of(LockedObjective.Locked objective, Row row) {
        return new KeyResult(
                LockedObjective.of(objective, row.inside), row.id, row.shown, row.lastRecordedAt, row.checkIns);
    }
}
