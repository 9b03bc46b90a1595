package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookResponse;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * Deliveries that users request: pings and redeliveries. Each is queued in the caller's transaction, with its entry in
 * the audit log. The poller is woken after the commit.
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
        auditAndWake(AuditAction.WEBHOOK_PINGED, webhook);
        return DeliveryResponse.of(delivery, EventType.WEBHOOK_PING.type());
    }

    /**
     * Queues a delivery again.
     *
     * @throws Failure a conflict if the webhook is inactive
     */
    public DeliveryResponse redeliver(String webhookId, String deliveryId) {
        var webhook = Webhook.require(webhookId);
        var delivery = Delivery.requireLocked(webhook.id(), deliveryId);
        webhook.requireActive();
        delivery.redeliver(settings.retrySchedule().size(), clock.now());
        auditAndWake(AuditAction.WEBHOOK_REDELIVERED, webhook);
        var type = Event.require(delivery.eventId).type();
        return DeliveryResponse.of(delivery, type);
    }

    private void auditAndWake(AuditAction action, Webhook webhook) {
        auditLog.record(action, webhook.id(), webhook.host(), null);
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
