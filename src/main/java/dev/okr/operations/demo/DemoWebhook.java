package dev.okr.operations.demo;

import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.Webhook;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/**
 * Creates a webhook with one delivery, so that the examples of all operations on webhooks have something to name. The
 * webhook sends only rare events, because its host is not ours.
 */
final class DemoWebhook {
    private static final String WEBHOOK = "wh_01k9m2x7q4e8rvb3t5w6y0zacd";

    /** Deliveries are pruned by the time in their ids. This one is far in the future. */
    private static final String DELIVERY = "dlv_7zk9m2x7q4e8rvb3t5w6y0zacd";

    private static final String TYPE = "cycle.deleted";
    private static final String URL = "https://example.com/hooks/okr";
    private static final int SECRET_BYTES = 32;
    private static final Duration SINCE_CREATION = Duration.ofDays(2);
    private static final Duration SINCE_EVENT = Duration.ofDays(1);

    private static final String INSERT_WEBHOOK = """
            INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                created_at, updated_at)
            VALUES (?, ?, ?, ARRAY[?], true, ?, ?, ?, ?)
            """;
    private static final String INSERT_EVENT = """
            INSERT INTO event (organization_id, id, type, resource_id, created_at, payload) VALUES (?, ?, ?, ?, ?, ?)
            """;
    private static final String INSERT_DELIVERY = """
            INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                created_at, updated_at)
            VALUES (?, ?, ?, ?, 'succeeded', 1, 0, false, ?, ?)
            """;
    private static final String INSERT_ATTEMPT = """
            INSERT INTO delivery_attempt (organization_id, delivery_id, id, attempted_at, duration_ms, status_code)
            VALUES (?, ?, ?, ?, 84, 204)
            """;
    private static final String PAYLOAD = """
            {"id":"%s","type":"%s","timestamp":"%s","data":{"id":"%s","name":"Draft",\
            "starts_at":"%3$s","ends_at":"%5$s","status":"planned","objectives_count":0,"overall_progress":0,\
            "created_at":"%3$s","updated_at":"%3$s"}}""";

    private DemoWebhook() {}

    static void create(Sql sql, UUID organizationId, SecretBox secretBox, Instant now) throws SQLException {
        var webhookId = IdKind.WEBHOOK.require(WEBHOOK);
        var secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        var encrypted = secretBox.encrypt(secret, Webhook.secretContext(organizationId.toString(), webhookId));
        var createdAt = now.minus(SINCE_CREATION);
        sql.update(
                INSERT_WEBHOOK,
                organizationId,
                webhookId,
                URL,
                TYPE,
                encrypted.keyId(),
                encrypted.bytes(),
                createdAt,
                createdAt);
        deliver(sql, organizationId, webhookId, now.minus(SINCE_EVENT));
    }

    private static void deliver(Sql sql, UUID organizationId, UUID webhookId, Instant at) throws SQLException {
        var eventId = UuidV7.at(at);
        var cycle = IdKind.CYCLE.format(UuidV7.at(at));
        var payload = PAYLOAD.formatted(
                IdKind.EVENT.format(eventId),
                TYPE,
                Timestamps.format(at),
                cycle,
                Timestamps.format(at.plus(SINCE_CREATION)));
        sql.update(INSERT_EVENT, organizationId, eventId, TYPE, cycle, at, payload);
        var deliveryId = IdKind.DELIVERY.require(DELIVERY);
        sql.update(INSERT_DELIVERY, organizationId, deliveryId, webhookId, eventId, at, at);
        sql.update(INSERT_ATTEMPT, organizationId, deliveryId, UuidV7.at(at), at);
    }
}
