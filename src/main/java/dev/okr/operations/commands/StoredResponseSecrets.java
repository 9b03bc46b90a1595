package dev.okr.operations.commands;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.idempotency.ResponseContext;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;

/**
 * The stored responses that contain a secret. Their re-encryption is not in the audit log, because they are copies of
 * webhook secrets and live only for a day. Expired responses are left to the service, which deletes them.
 */
final class StoredResponseSecrets extends EncryptedRows {
    private static final UUID FIRST = new UUID(0, 0);

    private static final String NEXT = """
            /* all organizations */
            SELECT organization_id, api_key_id, route_and_key_hash, secret_key_id, body FROM idempotent_response
            WHERE (organization_id, api_key_id, route_and_key_hash) > (?, ?, ?) AND secret_key_id <> ?
                AND created_at > now() - make_interval(secs => ?)
            ORDER BY organization_id, api_key_id, route_and_key_hash LIMIT ?
            """;
    private static final String LOCK = """
            SELECT organization_id, api_key_id, route_and_key_hash, secret_key_id, body FROM idempotent_response
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ? AND secret_key_id <> ?
            FOR NO KEY UPDATE SKIP LOCKED
            """;
    private static final String OTHERS = """
            /* all organizations */
            SELECT organization_id, api_key_id, route_and_key_hash, secret_key_id, body FROM idempotent_response
            WHERE secret_key_id <> ALL (?::text[]) AND created_at > now() - make_interval(secs => ?)
            LIMIT ?
            """;
    private static final String PUT = """
            UPDATE idempotent_response SET secret_key_id = ?, body = ?
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ?
            """;

    private UUID lastOrganizationId = FIRST;
    private UUID lastApiKeyId = FIRST;
    private byte[] lastHash = {};
    private long count;

    StoredResponseSecrets(SecretBox secretBox) {
        super(secretBox);
    }

    private record Row(UUID organizationId, UUID apiKeyId, byte[] hash, EncryptedSecret body) {

        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getObject("organization_id", UUID.class),
                    row.getObject("api_key_id", UUID.class),
                    row.getBytes("route_and_key_hash"),
                    new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("body")));
        }

        String context() {
            return ResponseContext.of(organizationId, apiKeyId, hash);
        }
    }

    long count() {
        return count;
    }

    @Override
    void restart() {
        lastOrganizationId = FIRST;
        lastApiKeyId = FIRST;
        lastHash = new byte[0];
    }

    @Override
    int next(Sql sql, int maxRows) throws SQLException {
        var kept = Idempotent.RETENTION.toSeconds();
        var rows = sql.list(Row::read, NEXT, lastOrganizationId, lastApiKeyId, lastHash, currentKeyId(), kept, maxRows);
        for (var row : rows) {
            lastOrganizationId = row.organizationId();
            lastApiKeyId = row.apiKeyId();
            lastHash = row.hash();
            var locked = sql.first(Row::read, LOCK, row.organizationId(), row.apiKeyId(), row.hash(), currentKeyId());
            if (locked.isPresent()) {
                rotate(sql, locked.get());
            }
        }
        return rows.size();
    }

    @Override
    List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException {
        return sql.list(row -> Row.read(row).context(), OTHERS, keyIds, Idempotent.RETENTION.toSeconds(), maxRows);
    }

    private void rotate(Sql sql, Row row) throws SQLException {
        var encrypted = reencrypt(row.body(), row.context(), row.context());
        if (encrypted.isPresent()) {
            var body = encrypted.get();
            count += sql.update(PUT, body.keyId(), body.bytes(), row.organizationId(), row.apiKeyId(), row.hash());
        }
    }
}
