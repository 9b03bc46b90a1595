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
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
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

    /** A recovery in progress. */
    @Schema(name = "Recovery", description = "A recovery in progress.")
    public record Recovery(
            @Schema(description = "The id of the webhook.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
            String webhookId,

            @Schema(description = "Events since this time are recovered.", examples = "2027-01-11T09:00:00Z")
            Instant since) {}

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
