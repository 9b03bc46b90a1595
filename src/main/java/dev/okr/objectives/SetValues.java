package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.UUID;

/**
 * The values of key results that were set without a check-in. Only progress histories read them. Writers hold the lock
 * on the objective. When the objective is deleted, the values stay until it can no longer be restored.
 */
public final class SetValues {
    /** If a key result has at least this many values, a new value replaces those of the same quarter of an hour. */
    private static final int MAX_VALUES_KEPT_EXACTLY = 100;

    private static final long QUARTER_SECONDS = 900;

    // Without this limit, a key result could have millions of values, and be too slow to delete and to read. The caller
    // holds the lock on the objective, so the statement sees all values. A value exactly at the start of the quarter
    // stays, because a history can have a point there.
    private static final String THIN = """
            DELETE FROM key_result_value
            WHERE organization_id = :organization AND key_result_id = ? AND set_at > ? AND set_at < ? AND EXISTS (
                SELECT 1 FROM key_result_value WHERE organization_id = :organization AND key_result_id = ?
                ORDER BY set_at OFFSET %d)
            """.formatted(MAX_VALUES_KEPT_EXACTLY - 1);

    // Two replicas whose clocks differ may set values at the same microsecond. The last one counts.
    private static final String ADD = """
            INSERT INTO key_result_value (organization_id, key_result_id, set_at, value) VALUES (:organization, ?, ?, ?)
            ON CONFLICT (organization_id, key_result_id, set_at) DO UPDATE SET value = excluded.value
            """;

    private static final String DELETE =
            "DELETE FROM key_result_value WHERE organization_id = :organization AND key_result_id = ?";

    private SetValues() {}

    public static void add(UUID keyResultId, Instant setAt, BigDecimal value) {
        var quarter = Instant.ofEpochSecond(setAt.getEpochSecond() / QUARTER_SECONDS * QUARTER_SECONDS);
        TenantSql.current().write(THIN, keyResultId, quarter, setAt, keyResultId);
        TenantSql.current().write(ADD, keyResultId, setAt, value);
    }

    /** Deletes the values of a key result that cannot be restored. */
    static void deleteOf(UUID keyResultId) {
        TenantSql.current().write(DELETE, keyResultId);
    }
}
