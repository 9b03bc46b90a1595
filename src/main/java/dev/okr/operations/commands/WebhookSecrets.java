package dev.okr.operations.commands;

import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.Webhook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The signing secrets of webhooks. After a rotation, a webhook also has its previous secret for a while. */
final class WebhookSecrets extends EncryptedRows {
    private static final UUID FIRST = new UUID(0, 0);

    // A deleted webhook has no secrets.
    private static final String NEXT = """
            /* all organizations */
            SELECT organization_id, id FROM webhook
            WHERE (organization_id, id) > (?, ?) AND deleted_at IS NULL
                AND (secret_key_id <> ? OR previous_secret_key_id <> ?)
            ORDER BY organization_id, id LIMIT ?
            """;
    // Inserts of deliveries refer to the webhook, but do not wait for this lock.
    private static final String LOCK = """
            SELECT organization_id, id, secret_key_id, secret_ciphertext, previous_secret_key_id,
                previous_secret_ciphertext, previous_secret_expires_at <= now() AS previous_expired
            FROM webhook WHERE organization_id = ? AND id = ? AND deleted_at IS NULL FOR NO KEY UPDATE SKIP LOCKED
            """;
    private static final String OTHERS = """
            /* all organizations */
            SELECT id FROM webhook WHERE deleted_at IS NULL
                AND (secret_key_id <> ALL (?::text[]) OR previous_secret_key_id <> ALL (?::text[]))
            LIMIT ?
            """;
    private static final String PUT_CURRENT = """
            UPDATE webhook SET secret_key_id = ?, secret_ciphertext = ? WHERE organization_id = ? AND id = ?
            """;
    private static final String PUT_PREVIOUS = """
            UPDATE webhook SET previous_secret_key_id = ?, previous_secret_ciphertext = ?
            WHERE organization_id = ? AND id = ?
            """;
    private static final String FORGET_PREVIOUS = """
            UPDATE webhook SET previous_secret_key_id = NULL, previous_secret_ciphertext = NULL,
                previous_secret_expires_at = NULL
            WHERE organization_id = ? AND id = ?
            """;

    private final UtcClock clock;
    private UUID lastOrganizationId = FIRST;
    private UUID lastId = FIRST;
    private long current;
    private long previous;
    private long expired;

    WebhookSecrets(SecretBox secretBox, UtcClock clock) {
        super(secretBox);
        this.clock = clock;
    }

    private record Id(UUID organizationId, UUID id) {
        static Id read(ResultSet row) throws SQLException {
            return new Id(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id"));
        }
    }

    private record Row(
            UUID organizationId,
            UUID id,
            EncryptedSecret current,
            @Nullable EncryptedSecret previous,
            boolean previousExpired) {

        static Row read(ResultSet row) throws SQLException {
            var previousKeyId = row.getString("previous_secret_key_id");
            return new Row(
                    row.getObject("organization_id", UUID.class),
                    row.getObject("id", UUID.class),
                    new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("secret_ciphertext")),
                    previousKeyId == null
                            ? null
                            : new EncryptedSecret(previousKeyId, row.getBytes("previous_secret_ciphertext")),
                    row.getBoolean("previous_expired"));
        }
    }

    long current() {
        return current;
    }

    long previous() {
        return previous;
    }

    /** The number of previous secrets that were deleted because they had expired. */
    long expired() {
        return expired;
    }

    @Override
    void restart() {
        lastOrganizationId = FIRST;
        lastId = FIRST;
    }

    @Override
    int next(Sql sql, int maxRows) throws SQLException {
        var key = currentKeyId();
        var found = sql.list(Id::read, NEXT, lastOrganizationId, lastId, key, key, maxRows);
        for (var id : found) {
            lastOrganizationId = id.organizationId();
            lastId = id.id();
            var row = sql.first(Row::read, LOCK, id.organizationId(), id.id());
            if (row.isPresent()) {
                rotate(sql, row.get());
            }
        }
        return found.size();
    }

    private void rotate(Sql sql, Row row) throws SQLException {
        if (rotateCurrent(sql, row) | rotatePrevious(sql, row)) {
            Change.by(Actor.OPERATOR, row.organizationId(), sql, clock.now())
                    .record(AuditAction.WEBHOOK_SECRET_REENCRYPTED, row.id(), null, "with the key " + currentKeyId());
        }
    }

    @Override
    List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException {
        return sql.list(row -> name(row.getObject("id", UUID.class)), OTHERS, keyIds, keyIds, maxRows);
    }

    private boolean rotateCurrent(Sql sql, Row row) throws SQLException {
        var encrypted = reencrypt(row.current(), context(row), name(row.id()));
        if (encrypted.isEmpty()) {
            return false;
        }
        var secret = encrypted.get();
        current += sql.update(PUT_CURRENT, secret.keyId(), secret.bytes(), row.organizationId(), row.id());
        return true;
    }

    private boolean rotatePrevious(Sql sql, Row row) throws SQLException {
        if (row.previousExpired()) {
            expired += sql.update(FORGET_PREVIOUS, row.organizationId(), row.id());
            return true;
        }
        var encrypted = reencrypt(row.previous(), context(row), name(row.id()));
        if (encrypted.isEmpty()) {
            return false;
        }
        var secret = encrypted.get();
        previous += sql.update(PUT_PREVIOUS, secret.keyId(), secret.bytes(), row.organizationId(), row.id());
        return true;
    }

    private static String name(UUID id) {
        return IdKind.WEBHOOK.format(id);
    }

    private static String context(Row row) {
        return Webhook.secretContext(row.organizationId().toString(), row.id());
    }
}
