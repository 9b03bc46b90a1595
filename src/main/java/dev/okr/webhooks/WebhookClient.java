package dev.okr.webhooks;

import io.quarkus.rest.client.reactive.Url;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.net.URI;

/**
 * The REST client for the endpoint of a subscriber.
 *
 * <p>The method is synchronous, so the response body is a stream. The REST client buffers the bodies of asynchronous
 * responses in memory without a limit.
 */
@Path("/")
public interface WebhookClient {
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    Response post(
            @Url URI server,
            @HeaderParam("webhook-id") String messageId,
            @HeaderParam("webhook-timestamp") long timestampSeconds,
            @HeaderParam("webhook-signature") String signature,
            byte[] body);
}
