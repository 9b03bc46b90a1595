package dev.okr.operations.commands;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.idempotency.IdempotentRequest;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;

/**
 * The stored responses that contain a secret. Their re-encryption is not in the audit log, because they are copies of
 * webhook secrets and are deleted after a day. Expired responses are left to the service, which deletes them.
 */
final class StoredResponseSecrets implements SecretRotation.EncryptedRows {
    private static final Id FIRST = new Id(new UUID(0, 0), new UUID(0, 0), new byte[0]);

    private static final String NEXT = """
            /* all organizations */
            SELECT organization_id, api_key_id, route_and_key_hash FROM idempotent_response
            WHERE (organization_id, api_key_id, route_and_key_hash) > (?, ?, ?) AND secret_key_id <> ?
                AND created_at > now() - make_interval(secs => ?)
            ORDER BY organization_id, api_key_id, route_and_key_hash LIMIT ?
            """;
    private static final String LOCK = """
            SELECT secret_key_id, body FROM idempotent_response
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ? AND secret_key_id IS NOT NULL
            FOR NO KEY UPDATE SKIP LOCKED
            """;
    private static final String OTHERS = """
            /* all organizations */
            SELECT organization_id, api_key_id, route_and_key_hash FROM idempotent_response
            WHERE secret_key_id <> ALL (?::text[]) AND created_at > now() - make_interval(secs => ?)
            LIMIT ?
            """;
    private static final String PUT = """
            UPDATE idempotent_response SET secret_key_id = ?, body = ?
            WHERE organization_id = ? AND api_key_id = ? AND route_and_key_hash = ?
            """;

    private final SecretRotation rotation;
    private Id last = FIRST;
    private long count;

    StoredResponseSecrets(SecretRotation rotation) {
        this.rotation = rotation;
    }

    private record Id(UUID organizationId, UUID apiKeyId, byte[] hash) {
        static Id read(ResultSet row) throws SQLException {
            return new Id(
                    Sql.uuid(row, "organization_id"), Sql.uuid(row, "api_key_id"), row.getBytes("route_and_key_hash"));
        }

        /** The context of the encryption, which also names the row. */
        String context() {
            return IdempotentRequest.encryptionContext(organizationId, apiKeyId, hash);
        }
    }

    long count() {
        return count;
    }

    @Override
    public void restart() {
        last = FIRST;
    }

    @Override
    public int next(Sql sql, int maxRows) throws SQLException {
        var key = rotation.currentKeyId();
        var kept = Idempotent.RETENTION.toSeconds();
        var found = sql.list(Id::read, NEXT, last.organizationId(), last.apiKeyId(), last.hash(), key, kept, maxRows);
        for (var id : found) {
            last = id;
            rotate(sql, id);
        }
        return found.size();
    }

    @Override
    public List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException {
        return sql.list(row -> Id.read(row).context(), OTHERS, keyIds, Idempotent.RETENTION.toSeconds(), maxRows);
    }

    private void rotate(Sql sql, Id id) throws SQLException {
        var body = sql.first(
                        row -> new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("body")),
                        LOCK,
                        id.organizationId(),
                        id.apiKeyId(),
                        id.hash())
                .flatMap(secret -> rotation.reencrypt(secret, id.context(), id.context()))
                .orElse(null);
        if (body != null) {
            count += sql.update(PUT, body.keyId(), body.bytes(), id.organizationId(), id.apiKeyId(), id.hash());
        }
    }
}
