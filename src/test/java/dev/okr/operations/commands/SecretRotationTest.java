package dev.okr.operations.commands;

import static dev.okr.operations.provisioning.MigratedDatabase.answer;
import static dev.okr.operations.provisioning.MigratedDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.encryption.SecretBoxes;
import dev.okr.platform.idempotency.IdempotentRequest;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.Webhook;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SecretRotationTest {
    private static final String LOCK = "SELECT 1 FROM webhook WHERE organization_id = ? AND id = ? FOR ";

    private static final byte[] SECRET = "a secret of a webhook".getBytes(StandardCharsets.UTF_8);
    private static final byte[] HASH = {1, 2, 3};
    private static final String OLD_KEY = SecretBoxes.key(1);
    private static final String NEW_KEY = SecretBoxes.key(2);

    private final SecretBox oldBox = SecretBoxes.of(OLD_KEY);
    private final SecretBox newBox = SecretBoxes.of(NEW_KEY, OLD_KEY);
    private final UUID organization = UUID.randomUUID();
    private final UUID apiKey = UUID.randomUUID();

    @BeforeEach
    void found() {
        execute("DELETE FROM idempotent_response");
        execute("DELETE FROM webhook");
        execute(
                "INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, 'Acme', 'business', now())",
                organization,
                organization.toString());
    }

    @Test
    void all_secrets_are_re_encrypted_once() throws Exception {
        int webhooks = 2 * SecretRotation.MAX_BATCH_ROWS + 1;
        for (int i = 0; i < webhooks; i++) {
            webhook(oldBox);
        }
        var rotated = webhook(newBox);
        previous(rotated, oldBox, Duration.ofHours(1));
        keptResponse(oldBox);

        assertThat(rotation(newBox).run()).satisfies(result -> {
            assertThat(result.webhookSecrets()).isEqualTo(webhooks);
            assertThat(result.previousSecrets()).isOne();
            assertThat(result.storedResponses()).isOne();
            assertThat(result.missingKeyIds()).isEmpty();
            assertThat(result.busy()).isFalse();
        });

        assertThat(counts()).isEqualTo(newBox.currentKeyId().orElseThrow() + " " + (webhooks + 1) + " 1 1");
        var onlyNew = SecretBoxes.of(NEW_KEY);
        assertThat(onlyNew.decrypt(encrypted(rotated, "secret"), context(rotated)))
                .isEqualTo(SECRET);
        assertThat(onlyNew.decrypt(encrypted(rotated, "previous_secret"), context(rotated)))
                .isEqualTo(SECRET);
        assertThat(onlyNew.decrypt(storedBody(), IdempotentRequest.encryptionContext(organization, apiKey, HASH)))
                .isEqualTo(SECRET);
        assertThat(answer(
                        "SELECT count(*) FROM audit_entry WHERE organization_id = ?"
                                + " AND actor = 'operator' AND action = 'webhook_secret_reencrypted'",
                        organization))
                .isEqualTo(String.valueOf(webhooks + 1));

        var again = rotation(newBox).run();
        assertThat(again.webhookSecrets() + again.previousSecrets() + again.storedResponses())
                .isZero();
    }

    @Test
    void a_missing_key_is_reported_and_does_not_stop_the_rotation() throws Exception {
        var lost = webhook(SecretBoxes.of(SecretBoxes.key(3)));
        var found = webhook(oldBox);

        var result = rotation(newBox).run();

        assertThat(result.webhookSecrets()).isOne();
        assertThat(result.missingKeyIds())
                .containsExactly(
                        SecretBoxes.of(SecretBoxes.key(3)).currentKeyId().orElseThrow());
        assertThat(result.busy()).isFalse();
        assertThat(newBox.decrypt(encrypted(found, "secret"), context(found))).isEqualTo(SECRET);
        assertThat(newBox.knows(encrypted(lost, "secret").keyId())).isFalse();
    }

    @Test
    void a_damaged_row_is_reported_and_does_not_stop_the_rotation() throws Exception {
        var damaged = webhook(oldBox);
        execute("UPDATE webhook SET secret_ciphertext = sha256('damage') WHERE id = ?", damaged);
        var held = webhook(oldBox);
        var holder = Thread.ofVirtual().start(() -> hold(held, Duration.ofMillis(800)));
        Thread.sleep(Duration.ofMillis(200));

        var result = rotation(newBox).run();

        assertThat(result.webhookSecrets()).isOne();
        assertThat(result.missingKeyIds()).isEmpty();
        assertThat(result.damagedRows()).containsExactly(IdKind.WEBHOOK.format(damaged));
        assertThat(result.busy()).isFalse();
        assertThat(newBox.decrypt(encrypted(held, "secret"), context(held))).isEqualTo(SECRET);
        holder.join();
    }

    @Test
    void a_damaged_stored_response_is_reported_and_an_expired_one_is_skipped() throws Exception {
        keptResponse(oldBox);
        execute("UPDATE idempotent_response SET body = sha256('damage')");

        var result = rotation(newBox).run();
        assertThat(result.damagedRows())
                .containsExactly(IdempotentRequest.encryptionContext(organization, apiKey, HASH));
        assertThat(result.busy()).isFalse();

        execute("UPDATE idempotent_response SET created_at = now() - interval '24 hours 1 second'");
        assertThat(rotation(newBox).run().damagedRows()).isEmpty();
        assertThat(Sql.transaction(MigratedDatabase.get(), WebhookSecretsCommand.KeyCount::list))
                .isEmpty();
    }

    @Test
    void the_clock_of_the_operators_machine_does_not_expire_secrets() throws Exception {
        var webhook = webhook(newBox);
        previous(webhook, oldBox, Duration.ofHours(1));
        var tomorrow = new UtcClock() {
            @Override
            public Instant now() {
                return super.now().plus(Duration.ofDays(1));
            }
        };

        var result = new SecretRotation(MigratedDatabase.get(), newBox, tomorrow).run();

        assertThat(result.expiredSecrets()).isZero();
        assertThat(result.previousSecrets()).isOne();
    }

    @Test
    void an_expired_previous_secret_is_deleted() throws Exception {
        var webhook = webhook(newBox);
        previous(webhook, SecretBoxes.of(SecretBoxes.key(3)), Duration.ofHours(-1));

        var result = rotation(newBox).run();

        assertThat(result.expiredSecrets()).isOne();
        assertThat(result.missingKeyIds()).isEmpty();
        assertThat(answer("SELECT previous_secret_key_id FROM webhook WHERE id = ?", webhook))
                .isEqualTo("null");
    }

    @Test
    void a_locked_row_is_re_encrypted_after_its_release() throws Exception {
        var webhook = webhook(oldBox);
        var holder = Thread.ofVirtual().start(() -> hold(webhook, Duration.ofMillis(800)));
        Thread.sleep(Duration.ofMillis(200));

        var result = rotation(newBox).run();

        assertThat(result.webhookSecrets()).isOne();
        assertThat(result.busy()).isFalse();
        holder.join();
    }

    @Test
    void deliveries_can_be_queued_for_a_webhook_under_rotation() throws Exception {
        var webhook = webhook(oldBox);

        int rows = Sql.transaction(MigratedDatabase.get(), sql -> {
            // The same lock as that of a delivery's foreign key.
            sql.first(row -> true, LOCK + "KEY SHARE", organization, webhook);
            return rotation(newBox).run().webhookSecrets() == 1 ? 1 : 0;
        });

        assertThat(rows).isOne();
    }

    private void hold(UUID webhook, Duration time) {
        try {
            Sql.transaction(MigratedDatabase.get(), sql -> {
                sql.first(row -> true, LOCK + "UPDATE", organization, webhook);
                try {
                    Thread.sleep(time);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return true;
            });
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SecretRotation rotation(SecretBox box) {
        return new SecretRotation(MigratedDatabase.get(), box, new UtcClock());
    }

    private String context(UUID webhook) {
        return Webhook.secretContext(organization.toString(), webhook);
    }

    private UUID webhook(SecretBox box) {
        var id = UUID.randomUUID();
        var secret = box.encrypt(SECRET, context(id));
        execute("""
                INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                    created_at, updated_at)
                VALUES (?, ?, 'https://hooks.test', ARRAY ['*'], true, ?, ?, now(), now())
                """, organization, id, secret.keyId(), secret.bytes());
        return id;
    }

    private void previous(UUID webhook, SecretBox box, Duration validFor) {
        var secret = box.encrypt(SECRET, context(webhook));
        execute("""
                UPDATE webhook SET previous_secret_key_id = ?, previous_secret_ciphertext = ?,
                    previous_secret_expires_at = ? WHERE id = ?
                """, secret.keyId(), secret.bytes(), Instant.now().plus(validFor), webhook);
    }

    private void keptResponse(SecretBox box) {
        var user = UUID.randomUUID();
        execute(
                "INSERT INTO users (organization_id, id, email, name, role, created_at)"
                        + " VALUES (?, ?, ?, 'Ada', 'admin', now())",
                organization,
                user,
                user + "@acme.test");
        execute(
                "INSERT INTO api_key (organization_id, id, user_id, name, token_hash, scopes, created_at)"
                        + " VALUES (?, ?, ?, 'ci', sha256(?::bytea), ARRAY ['read'], now())",
                organization,
                apiKey,
                user,
                apiKey.toString().getBytes(StandardCharsets.US_ASCII));
        var body = box.encrypt(SECRET, IdempotentRequest.encryptionContext(organization, apiKey, HASH));
        execute("""
                INSERT INTO idempotent_response (organization_id, api_key_id, route_and_key_hash, body_hash, status,
                    content_type, body, secret_key_id, created_at)
                VALUES (?, ?, ?, ?, 201, 'application/json', ?, ?, now())
                """, organization, apiKey, HASH, HASH, body.bytes(), body.keyId());
    }

    private EncryptedSecret encrypted(UUID webhook, String columns) throws SQLException {
        return Sql.transaction(
                MigratedDatabase.get(),
                sql -> sql.first(
                                row -> new EncryptedSecret(row.getString(1), row.getBytes(2)),
                                "/* all organizations */ SELECT %1$s_key_id, %1$s_ciphertext FROM webhook WHERE id = ?"
                                        .formatted(columns),
                                webhook)
                        .orElseThrow());
    }

    private EncryptedSecret storedBody() throws SQLException {
        return Sql.transaction(
                MigratedDatabase.get(),
                sql -> sql.first(
                                row -> new EncryptedSecret(row.getString("secret_key_id"), row.getBytes("body")),
                                "/* all organizations */ SELECT secret_key_id, body FROM idempotent_response WHERE api_key_id = ?",
                                apiKey)
                        .orElseThrow());
    }

    private static String counts() throws SQLException {
        var counts = Sql.transaction(MigratedDatabase.get(), WebhookSecretsCommand.KeyCount::list);
        assertThat(counts).hasSize(1);
        var count = counts.getFirst();
        return "%s %d %d %d"
                .formatted(count.keyId(), count.webhookSecrets(), count.previousSecrets(), count.storedResponses());
    }
}
