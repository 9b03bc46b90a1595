package dev.okr.webhooks.delivery;

import dev.okr.platform.http.Data;
import dev.okr.platform.idempotency.Idempotent;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Sends a test event to a webhook (contract, section 4). */
@Path("/v1/webhooks/{id}/ping")
@Tag(name = "Webhooks")
@RunOnVirtualThread
public class PingResource {
    private final RequestedDeliveries requested;

    PingResource(RequestedDeliveries requested) {
        this.requested = requested;
    }

    @POST
    @Idempotent
    @Operation(summary = "Send a ping to a webhook")
    public RestResponse<Data<DeliveryResponse>> pingWebhook(@PathParam("id") String id) {
        return Data.accepted(requested.ping(id));
    }
}
