package dev.okr.operations.commands;

import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The number of secrets that are encrypted with a key. */
record KeyCount(String keyId, long webhookSecrets, long previousSecrets, long storedResponses) {
    private static final int MAX_KEYS = 1_000;
    private static final String LIST = """
            /* all organizations */
            SELECT key_id,
                count(*) FILTER (WHERE kind = 1) AS webhook_secrets,
                count(*) FILTER (WHERE kind = 2) AS previous_secrets,
                count(*) FILTER (WHERE kind = 3) AS stored_responses
            FROM (
                SELECT secret_key_id AS key_id, 1 AS kind FROM webhook WHERE deleted_at IS NULL
                UNION ALL
                SELECT previous_secret_key_id, 2 FROM webhook WHERE deleted_at IS NULL
                UNION ALL
                SELECT secret_key_id, 3 FROM idempotent_response
                WHERE created_at > now() - make_interval(secs => ?)) AS secret
            WHERE key_id IS NOT NULL
            GROUP BY key_id ORDER BY key_id LIMIT ?
            """;

    static List<KeyCount> list(Sql sql) throws SQLException {
        return sql.list(KeyCount::read, LIST, Idempotent.RETENTION.toSeconds(), MAX_KEYS);
    }

    private static KeyCount read(ResultSet row) throws SQLException {
        return new KeyCount(
                row.getString("key_id"),
                row.getLong("webhook_secrets"),
                row.getLong("previous_secrets"),
                row.getLong("stored_responses"));
    }
}
