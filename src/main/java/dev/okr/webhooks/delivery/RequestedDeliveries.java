package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.events.EventType;
import dev.okr.events.Outbox;
import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookResponse;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/**
 * What people have sent to a webhook by asking for it: a ping, or a delivery once more. Each is queued within the
 * caller's transaction, with its line of the audit log, and the dispatcher hears of it when that has committed.
 */
@ApplicationScoped
public class RequestedDeliveries {
    private final UtcClock clock;
    private final Outbox outbox;
    private final AuditLog auditLog;
    private final Dispatcher dispatcher;
    private final DeliverySettings settings;
    private final TransactionSynchronizationRegistry transactions;

    RequestedDeliveries(
            UtcClock clock,
            Outbox outbox,
            AuditLog auditLog,
            Dispatcher dispatcher,
            DeliverySettings settings,
            TransactionSynchronizationRegistry transactions) {
        this.clock = clock;
        this.outbox = outbox;
        this.auditLog = auditLog;
        this.dispatcher = dispatcher;
        this.settings = settings;
        this.transactions = transactions;
    }

    /**
     * Queues a ping. It is for this webhook alone, whatever types of events it asked for.
     *
     * @throws Failure a conflict, while nothing is sent to the webhook
     */
    public DeliveryResponse ping(String webhookId) {
        var webhook = Webhook.require(webhookId);
        webhook.requireActive();
        var event = outbox.record(EventType.WEBHOOK_PING, webhookId, WebhookResponse.of(webhook));
        var delivery = Delivery.create(webhook.id(), event, clock.now());
        queued(AuditAction.WEBHOOK_PINGED, webhook);
        return DeliveryResponse.of(delivery, EventType.WEBHOOK_PING.type());
    }

    /**
     * Queues a delivery again.
     *
     * @throws Failure a conflict, while nothing is sent to the webhook
     */
    public DeliveryResponse redeliver(String webhookId, String deliveryId) {
        var webhook = Webhook.require(webhookId);
        var delivery = Delivery.requireLocked(webhook.id(), deliveryId);
        webhook.requireActive();
        delivery.redeliver(settings.retrySchedule().size(), clock.now());
        queued(AuditAction.WEBHOOK_REDELIVERED, webhook);
        var type = Event.require(delivery.eventId).type();
        return DeliveryResponse.of(delivery, type);
    }

    private void queued(AuditAction action, Webhook webhook) {
        auditLog.record(action, webhook.id(), webhook.host(), null);
        transactions.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                if (status == Status.STATUS_COMMITTED) {
                    dispatcher.poll();
                }
            }
        });
    }
}
