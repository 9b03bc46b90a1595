package dev.okr.operations.commands;

import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.encryption.EncryptedSecret;
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
final class WebhookSecrets implements SecretRotation.EncryptedRows {
    private static final Id FIRST = new Id(new UUID(0, 0), new UUID(0, 0));

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
            SELECT secret_key_id, secret_ciphertext, previous_secret_key_id, previous_secret_ciphertext,
                previous_secret_expires_at <= now() AS previous_expired
            FROM webhook WHERE organization_id = ? AND id = ? AND deleted_at IS NULL FOR NO KEY UPDATE SKIP LOCKED
            """;
    private static final String OTHERS = """
            /* all organizations */
            SELECT organization_id, id FROM webhook WHERE deleted_at IS NULL
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

    private final SecretRotation rotation;
    private final UtcClock clock;
    private Id last = FIRST;
    private long current;
    private long previous;
    private long expired;

    WebhookSecrets(SecretRotation rotation, UtcClock clock) {
        this.rotation = rotation;
        this.clock = clock;
    }

    private record Id(UUID organizationId, UUID id) {
        static Id read(ResultSet row) throws SQLException {
            return new Id(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id"));
        }

        String name() {
            return IdKind.WEBHOOK.format(id);
        }
    }

    private record Secrets(
            EncryptedSecret current, @Nullable EncryptedSecret previous, boolean previousExpired) {
        static Secrets read(ResultSet row) throws SQLException {
            var previousKeyId = row.getString("previous_secret_key_id");
            return new Secrets(
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
    public void restart() {
        last = FIRST;
    }

    @Override
    public int next(Sql sql, int maxRows) throws SQLException {
        var key = rotation.currentKeyId();
        var found = sql.list(Id::read, NEXT, last.organizationId(), last.id(), key, key, maxRows);
        for (var id : found) {
            last = id;
            var secrets = sql.first(Secrets::read, LOCK, id.organizationId(), id.id());
            if (secrets.isPresent()) {
                rotate(sql, id, secrets.get());
            }
        }
        return found.size();
    }

    @Override
    public List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException {
        return sql.list(row -> Id.read(row).name(), OTHERS, keyIds, keyIds, maxRows);
    }

    private void rotate(Sql sql, Id id, Secrets secrets) throws SQLException {
        boolean forget = secrets.previousExpired();
        int newCurrent = reencrypt(sql, id, secrets.current(), PUT_CURRENT);
        int newPrevious = forget ? 0 : reencrypt(sql, id, secrets.previous(), PUT_PREVIOUS);
        int newExpired = forget ? sql.update(FORGET_PREVIOUS, id.organizationId(), id.id()) : 0;
        if (newCurrent + newPrevious + newExpired > 0) {
            var detail = "with the key " + rotation.currentKeyId();
            Change.by(Actor.OPERATOR, id.organizationId(), sql, clock.now())
                    .record(AuditAction.WEBHOOK_SECRET_REENCRYPTED, id.id(), null, detail);
        }
        current += newCurrent;
        previous += newPrevious;
        expired += newExpired;
    }

    /** Returns the number of rows written. */
    private int reencrypt(Sql sql, Id id, @Nullable EncryptedSecret secret, String statement) throws SQLException {
        var context = Webhook.secretContext(id.organizationId().toString(), id.id());
        var encrypted = rotation.reencrypt(secret, context, id.name()).orElse(null);
        return encrypted == null
                ? 0
                : sql.update(statement, encrypted.keyId(), encrypted.bytes(), id.organizationId(), id.id());
    }
}
