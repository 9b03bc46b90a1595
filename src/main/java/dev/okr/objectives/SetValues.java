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
    // Two replicas whose clocks differ may set values at the same microsecond. The last one counts.
    private static final String ADD = """
            INSERT INTO key_result_value (organization_id, key_result_id, set_at, value) VALUES (:organization, ?, ?, ?)
            ON CONFLICT (organization_id, key_result_id, set_at) DO UPDATE SET value = excluded.value
            """;

    private static final String DELETE =
            "DELETE FROM key_result_value WHERE organization_id = :organization AND key_result_id = ?";

    private SetValues() {}

    public static void add(UUID keyResultId, Instant setAt, BigDecimal value) {
        TenantSql.current().write(ADD, keyResultId, setAt, value);
    }

    /** Deletes the values of a key result that cannot be restored. */
    static void deleteOf(UUID keyResultId) {
        TenantSql.current().write(DELETE, keyResultId);
    }
}
