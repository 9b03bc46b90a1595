package dev.okr.webhooks.delivery;

import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.webhooks.Webhook;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/**
 * The deliveries of a webhook, and the requests to send more: a redelivery, a ping, and a recovery of missed events.
 * {@link Housekeeping} recovers in the background.
 */
@Path("/v1/webhooks")
@Tag(name = "Webhooks")
@Requires(toRead = Right.MANAGE_WEBHOOKS, toWrite = Right.MANAGE_WEBHOOKS)
@RunOnVirtualThread
public class DeliveryResource {
    private static final String STATUS = "status";

    private final RequestedDeliveries requested;
    private final EntityTags tags;

    /** A recovery in progress. */
    @Schema(name = "Recovery", description = "A recovery in progress.")
    public record Recovery(
            @Schema(description = "The id of the webhook.", examples = "wh_01k9m2x7q4e8rvb3t5w6y0zacd")
            String webhookId,

            @Schema(description = "Events since this time are recovered.", examples = "2027-01-11T09:00:00Z")
            Instant since) {}

    DeliveryResource(RequestedDeliveries requested, EntityTags tags) {
        this.requested = requested;
        this.tags = tags;
    }

    @GET
    @Path("/{id}/deliveries")
    @Operation(summary = "List the deliveries of a webhook")
    @Parameter(
            name = STATUS,
            in = ParameterIn.QUERY,
            description = "Only deliveries with this status.",
            schema = @Schema(implementation = DeliveryStatus.class))
    public RestResponse<Page<DeliveryResponse>> listDeliveries(@PathParam("id") String id, @Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri, STATUS);
        var deliveries = Delivery.list(query, Webhook.require(id).id(), query.constant(STATUS, DeliveryStatus.class));
        return Page.of(query, deliveries, delivery -> delivery);
    }

    @GET
    @Path("/{id}/deliveries/{deliveryId}")
    @Operation(summary = "Read a delivery with its attempts")
    public RestResponse<Data<DeliveryDetail>> getDelivery(
            @PathParam("id") String id, @PathParam("deliveryId") String deliveryId) {
        return tags.read(DeliveryDetail.of(Delivery.require(Webhook.require(id).id(), deliveryId)));
    }

    @POST
    @Path("/{id}/deliveries/{deliveryId}/redeliver")
    @Idempotent
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Attempt a delivery again")
    public RestResponse<Data<DeliveryResponse>> redeliver(
            @PathParam("id") String id, @PathParam("deliveryId") String deliveryId) {
        return Data.accepted(requested.redeliver(id, deliveryId));
    }

    @POST
    @Path("/{id}/ping")
    @Idempotent
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Send a ping to a webhook")
    public RestResponse<Data<DeliveryResponse>> pingWebhook(@PathParam("id") String id) {
        return Data.accepted(requested.ping(id));
    }

    @POST
    @Path("/{id}/recover")
    @Idempotent
    @ResponseStatus(StatusCode.ACCEPTED)
    @Operation(summary = "Recover the missed events of a webhook")
    public RestResponse<Data<Recovery>> recoverWebhook(
            @PathParam("id") String id, @RequestBodySchema(RecoverWebhook.class) JsonBody body) {
        return Data.accepted(new Recovery(id, requested.recover(id, body.reader())));
    }
}
