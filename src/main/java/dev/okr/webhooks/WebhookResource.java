package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.Deleted;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.transactions.RetriedTransaction;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBodySchema;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;

/**
 * Webhook subscriptions.
 *
 * <p>A URL is checked before the transaction of a write, because the check may need a DNS lookup. The transaction
 * reports the result together with its other checks.
 */
@Path("/v1/webhooks")
@Tag(name = "Webhooks")
@Requires(toRead = Right.MANAGE_WEBHOOKS, toWrite = Right.MANAGE_WEBHOOKS)
@RunOnVirtualThread
public class WebhookResource {
    private final EntityTags tags;
    private final WebhookWriter webhooks;
    private final WebhookChanges changes;

    WebhookResource(EntityTags tags, WebhookWriter webhooks, WebhookChanges changes) {
        this.tags = tags;
        this.webhooks = webhooks;
        this.changes = changes;
    }

    @GET
    @Operation(summary = "List webhooks")
    public RestResponse<Page<WebhookResponse>> listWebhooks(@Context UriInfo uri) {
        var query = ListQuery.newestFirst(uri);
        return Page.of(query, Webhook.list(query), Webhook.Listed::shown);
    }

    @GET
    @Path("/{id}")
    @Operation(summary = "Read a webhook")
    public RestResponse<Data<WebhookResponse>> getWebhook(@PathParam("id") String id) {
        return tags.read(WebhookResponse.of(Webhook.require(id)));
    }

    @POST
    @ResponseStatus(StatusCode.CREATED)
    @Operation(summary = "Create a webhook")
    public RestResponse<Data<CreatedWebhook>> createWebhook(@RequestBodySchema(CreateWebhook.class) JsonBody body) {
        return changes.create(body, urlCheck(body));
    }

    @PUT
    @Path("/{id}")
    @Operation(summary = "Change, deactivate or reactivate a webhook")
    public RestResponse<Data<WebhookResponse>> updateWebhook(
            @PathParam("id") String id, @RequestBodySchema(UpdateWebhook.class) JsonBody body) {
        return changes.update(id, body, urlCheck(body));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete a webhook")
    public Data<Deleted> deleteWebhook(@PathParam("id") String id) {
        var webhook = Webhook.requireLocked(id);
        tags.requireMatch(() -> WebhookResponse.of(webhook));
        webhooks.delete(webhook);
        return Deleted.of(id);
    }

    @POST
    @Path("/{id}/rotate-secret")
    @Idempotent(secret = true)
    @Operation(summary = "Replace the secret of a webhook")
    public RestResponse<Data<CreatedWebhook>> rotateSecret(@PathParam("id") String id) {
        var rotated = webhooks.rotateSecret(Webhook.requireLocked(id));
        return tags.changed(rotated, rotated.webhook());
    }

    private Function<String, Optional<FieldError>> urlCheck(JsonBody body) {
        return webhooks.urlCheck(body.uncheckedText("url"));
    }
}
