package dev.okr.objectives;

import dev.okr.events.Outbox;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A key result and its objective, with what its next value depends on, all read under the objective's lock. No
 * session manages them: what changes is written when the transaction commits, with all else in one round trip.
 *
 * @param newestCheckIn when the newest check-in was created; null without one
 * @param othersProgress the sum of the progress of the objective's other key results
 * @param keyResults how many key results the objective has, this one included
 */
record LockedKeyResult(
        Objective objective,
        KeyResult keyResult,
        @Nullable Instant newestCheckIn,
        BigDecimal othersProgress,
        long keyResults) {

    /** The first statement waits for the lock; the second begins when it is held, and so sees what others committed. */
    private static final String LOCK_AND_READ =
            """
            SELECT %s FROM objective o
            WHERE o.organization_id = :organization AND o.id =
                (SELECT k.objective_id FROM key_result k WHERE k.organization_id = :organization AND k.id = ?)
            FOR NO KEY UPDATE;
            SELECT %s,
                (SELECT max(c.created_at) FROM check_in c
                    WHERE c.organization_id = k.organization_id AND c.key_result_id = k.id) AS newest_check_in,
                sum(each.progress) - k.progress AS others_progress, count(*) AS key_results
            FROM key_result k
            JOIN key_result each ON each.organization_id = k.organization_id AND each.objective_id = k.objective_id
            WHERE k.organization_id = :organization AND k.id = ?
            GROUP BY k.organization_id, k.id
            """.formatted(Objective.TABLE.columns("o"), KeyResult.TABLE.columns("k"));

    private static final String UPDATE = """
            UPDATE key_result SET title = ?, current_value = ?, target_value = ?, progress = ?, updated_at = ?
            WHERE organization_id = :organization AND id = ?
            """;

    /**
     * Locks the objective of a key result and reads both under that lock, watched for what becomes of them.
     *
     * @throws Failure when the organisation has no such key result
     */
    static LockedKeyResult require(String publicId, Outbox outbox) {
        return IdKind.KEY_RESULT
                .parse(publicId)
                .flatMap(id -> find(id, outbox))
                .orElseThrow(() -> Failure.notFound(KeyResult.NOUN));
    }

    /**
     * The same of a key result of this very objective.
     *
     * @throws Failure when the objective has no such key result
     */
    static LockedKeyResult require(String objectiveId, String publicId, Outbox outbox) {
        var locked = require(publicId, outbox);
        if (!IdKind.OBJECTIVE.format(locked.objective.id()).equals(objectiveId)) {
            throw Failure.notFound(KeyResult.NOUN);
        }
        return locked;
    }

    private static Optional<LockedKeyResult> find(UUID id, Outbox outbox) {
        var found =
                TenantSql.current().firstOfBoth(Objective.TABLE.reader(), Read::of, Read::under, LOCK_AND_READ, id, id);
        found.ifPresent(locked -> {
            locked.objective.watch(outbox);
            locked.keyResult.watched(outbox);
        });
        return found;
    }

    /** What the second statement answers. */
    private record Read(
            KeyResult keyResult, @Nullable Instant newestCheckIn, BigDecimal othersProgress, long keyResults) {
        static Read of(ResultSet row) throws SQLException {
            return new Read(
                    KeyResult.TABLE.reader().read(row),
                    Sql.instantOrNull(row, "newest_check_in"),
                    row.getBigDecimal("others_progress"),
                    row.getLong("key_results"));
        }

        static LockedKeyResult under(Objective objective, Read read) {
            return new LockedKeyResult(
                    objective, read.keyResult, read.newestCheckIn, read.othersProgress, read.keyResults);
        }
    }

    void update(UpdateKeyResult request, Instant now) {
        change(
                request.title().orElse(keyResult.title),
                request.currentValue().orElse(keyResult.currentValue),
                request.targetValue().orElse(keyResult.targetValue),
                now);
    }

    /** Takes over the value of a check-in. */
    void checkIn(BigDecimal value, Instant now) {
        change(keyResult.title, value, keyResult.targetValue, now);
    }

    private void change(String title, BigDecimal currentValue, BigDecimal targetValue, Instant now) {
        if (!keyResult.change(title, currentValue, targetValue, now)) {
            return;
        }
        TenantSql.current().write(UPDATE, title, currentValue, targetValue, keyResult.progress, now, keyResult.id());
        if (objective.rollUp(othersProgress.add(keyResult.progress), keyResults, now)) {
            objective.writeRollUp();
        }
    }
}
