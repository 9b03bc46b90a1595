package dev.okr.deliveries;

import dev.okr.audit.AuditAction;
import dev.okr.audit.AuditLog;
import dev.okr.http.Data;
import dev.okr.idempotency.Idempotent;
import dev.okr.outbox.EventType;
import dev.okr.outbox.Outbox;
import dev.okr.time.UtcClock;
import dev.okr.webhooks.Webhook;
import dev.okr.webhooks.WebhookResponse;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Tries a webhook out (contract, section 4). */
@Path("/v1/webhooks/{id}/ping")
@Tag(name = "Webhooks")
@RunOnVirtualThread
public class PingResource {
    private final UtcClock clock;
    private final Outbox outbox;
    private final Dispatcher dispatcher;
    private final AuditLog auditLog;

    PingResource(UtcClock clock, Outbox outbox, Dispatcher dispatcher, AuditLog auditLog) {
        this.auditLog = auditLog;
        this.clock = clock;
        this.outbox = outbox;
        this.dispatcher = dispatcher;
    }

    @POST
    @Operation(summary = "Send a ping to a webhook")
    public RestResponse<Data<DeliveryResponse>> pingWebhook(@PathParam("id") String id) {
        var response = queue(id);
        dispatcher.poll();
        return response;
    }

    /** It is for this webhook alone, whatever types of events it asked for. */
    @Idempotent
    RestResponse<Data<DeliveryResponse>> queue(String id) {
        var webhook = Webhook.require(id);
        webhook.requireActive();
        auditLog.record(AuditAction.WEBHOOK_PINGED, webhook.id(), webhook.host(), null);
        var event = outbox.record(EventType.WEBHOOK_PING, id, WebhookResponse.of(webhook));
        var delivery = Delivery.create(webhook.id(), event, clock.now());
        return Data.accepted(DeliveryResponse.of(delivery, EventType.WEBHOOK_PING.type()));
    }
}
