package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookResponse;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Deliveries that users request: pings, redeliveries and recoveries. Each is queued in the caller's transaction, with
 * its entry in the audit log. The poller is woken after the commit.
 */
@ApplicationScoped
public class RequestedDeliveries {
    private final UtcClock clock;
    private final Outbox outbox;
    private final AuditLog auditLog;
    private final WakeUp wakeUp;
    private final DeliverySettings settings;
    private final TransactionSynchronizationRegistry transactions;

    RequestedDeliveries(
            UtcClock clock,
            Outbox outbox,
            AuditLog auditLog,
            WakeUp wakeUp,
            DeliverySettings settings,
            TransactionSynchronizationRegistry transactions) {
        this.clock = clock;
        this.outbox = outbox;
        this.auditLog = auditLog;
        this.wakeUp = wakeUp;
        this.settings = settings;
        this.transactions = transactions;
    }

    /**
     * Queues a ping for this webhook only, even if it does not subscribe to pings.
     *
     * @throws Failure a conflict if the webhook is inactive
     */
    public DeliveryResponse ping(String webhookId) {
        var webhook = Webhook.require(webhookId);
        webhook.requireActive();
        var event = outbox.writeWithoutFanOut(EventType.WEBHOOK_PING, webhookId, WebhookResponse.of(webhook));
        var delivery = Delivery.create(webhook.id(), event, clock.now());
        auditAndWake(AuditAction.WEBHOOK_PINGED, webhook, null);
        return DeliveryResponse.of(delivery, EventType.WEBHOOK_PING.type());
    }

    /**
     * Queues a delivery again.
     *
     * @throws Failure a conflict if the webhook is inactive
     */
    public DeliveryResponse redeliver(String webhookId, String deliveryId) {
        // The audit entry needs this lock. The console takes it first too, so that two requests do not deadlock.
        TenantSql.current().lockOrganization();
        var webhook = Webhook.require(webhookId);
        var delivery = Delivery.requireLocked(webhook.id(), deliveryId);
        webhook.requireActive();
        delivery.redeliver(settings.retrySchedule().size(), clock.now());
        var type = Event.require(delivery.eventId).type();
        auditAndWake(AuditAction.WEBHOOK_REDELIVERED, webhook, deliveryId + " of " + type);
        return DeliveryResponse.of(delivery, type);
    }

    /**
     * Starts a recovery of missed events, which {@link Housekeeping} continues in the background.
     *
     * @param fields the fields of {@link RecoverWebhook}
     * @return the start of the recovery
     * @throws Failure a conflict if the webhook is inactive
     */
    public Instant recover(String webhookId, BodyReader fields) {
        var webhook = Webhook.requireLocked(webhookId);
        var since = RecoverWebhook.read(fields).since();
        webhook.recover(since, clock.now());
        var detail = "events since " + Timestamps.format(since);
        auditLog.record(AuditAction.WEBHOOK_RECOVERED, webhook.id(), webhook.host(), detail);
        return since;
    }

    private void auditAndWake(AuditAction action, Webhook webhook, @Nullable String detail) {
        auditLog.record(action, webhook.id(), webhook.host(), detail);
        Lane.wakeNow(webhook.id(), webhook.isFailing());
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED) {
                    wakeUp.raise();
                }
            }
        });
    }
}
