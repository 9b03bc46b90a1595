package dev.okr.webhooks.delivery;

import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import dev.okr.webhooks.Webhook;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Sends missed events to a webhook. {@link Housekeeping} does this in the background. */
@Path("/v1/webhooks/{id}/recover")
@Tag(name = "Webhooks")
@Requires(toRead = Right.MANAGE_WEBHOOKS, toWrite = Right.MANAGE_WEBHOOKS)
@RunOnVirtualThread
public class RecoveryResource {
    private final UtcClock clock;
    private final AuditLog auditLog;

    RecoveryResource(UtcClock clock, AuditLog auditLog) {
        this.auditLog = auditLog;
        this.clock = clock;
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Send a webhook what it has missed")
    public RestResponse<Data<Recovery>> recoverWebhook(
            @PathParam("id") String id, @RequestBodySchema(RecoverWebhook.class) JsonBody body) {
        var webhook = Webhook.requireLocked(id);
        var request = RecoverWebhook.read(body.reader());
        webhook.recover(request.since(), clock.now());
        auditLog.record(AuditAction.WEBHOOK_RECOVERED, webhook.id(), webhook.host(), null);
        return Data.accepted(new Recovery(id, request.since()));
    }
}
