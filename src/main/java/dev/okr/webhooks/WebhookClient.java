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
 * A subscriber's endpoint as the REST client calls it.
 *
 * <p>The method answers synchronously: the bodies of such responses are streams, while the REST client would gather
 * those of asynchronous ones in memory, however large they are.
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
