package dev.okr.webhooks.delivery;

import dev.okr.platform.http.Data;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/** Sends a test event to a webhook. */
@Path("/v1/webhooks/{id}/ping")
@Tag(name = "Webhooks")
@Requires(toRead = Right.MANAGE_WEBHOOKS, toWrite = Right.MANAGE_WEBHOOKS)
@RunOnVirtualThread
public class PingResource {
    private final RequestedDeliveries requested;

    PingResource(RequestedDeliveries requested) {
        this.requested = requested;
    }

    @POST
    @Idempotent
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Send a ping to a webhook")
    public RestResponse<Data<DeliveryResponse>> pingWebhook(@PathParam("id") String id) {
        return Data.accepted(requested.ping(id));
    }
}
