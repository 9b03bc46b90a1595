package dev.okr.webhooks;

import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.Deleted;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Page;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
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
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * Webhooks (specification, section 4.8; reading one and changing it are the contract's, section 4).
 *
 * <p>Writes come in two steps, since judging a URL may mean asking the DNS, which no transaction and no lock must
 * wait for: the URL is judged first, and what came of it is told inside the transaction, in its turn among the checks.
 */
@Path("/v1/webhooks")
@Tag(name = "Webhooks")
@RunOnVirtualThread
public class WebhookResource {
    private final UtcClock clock;
    private final Caller caller;
    private final SecretBox secretBox;
    private final Targets targets;
    private final EntityTags tags;
    private final AuditLog auditLog;

    WebhookResource(
            UtcClock clock, Caller caller, SecretBox secretBox, Targets targets, EntityTags tags, AuditLog auditLog) {
        this.clock = clock;
        this.caller = caller;
        this.secretBox = secretBox;
        this.targets = targets;
        this.tags = tags;
        this.auditLog = auditLog;
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
    @Operation(summary = "Create a webhook")
    public RestResponse<Data<CreatedWebhook>> createWebhook(
            @RequestBody(required = true, content = @Content(schema = @Schema(implementation = CreateWebhook.class)))
                    JsonBody body) {
        return create(body, judgeUrl(body));
    }

    @PUT
    @Path("/{id}")
    @Operation(summary = "Change, deactivate or reactivate a webhook")
    public RestResponse<Data<WebhookResponse>> updateWebhook(
            @PathParam("id") String id,
            @RequestBody(required = true, content = @Content(schema = @Schema(implementation = UpdateWebhook.class)))
                    JsonBody body) {
        return update(id, body, judgeUrl(body));
    }

    @DELETE
    @Path("/{id}")
    @RetriedTransaction
    @Operation(summary = "Delete a webhook")
    public Data<Deleted> deleteWebhook(@PathParam("id") String id) {
        var webhook = Webhook.requireLocked(id);
        tags.requireMatch(() -> WebhookResponse.of(webhook));
        webhook.remove(clock.now());
        record(AuditAction.WEBHOOK_DELETED, webhook);
        return Deleted.of(id);
    }

    @POST
    @Path("/{id}/rotate-secret")
    @Idempotent(secret = true)
    @Operation(summary = "Replace the secret of a webhook")
    public RestResponse<Data<CreatedWebhook>> rotateSecret(@PathParam("id") String id) {
        var webhook = Webhook.requireLocked(id);
        var secret = SigningSecret.generate();
        webhook.rotateSecret(secret, secretBox, clock.now());
        record(AuditAction.WEBHOOK_SECRET_ROTATED, webhook);
        return tags.changed(CreatedWebhook.of(webhook, secret), WebhookResponse.of(webhook));
    }

    // Quarkus intercepts calls within a bean too, if the method is not private: this begins the transaction.
    @Idempotent(secret = true)
    RestResponse<Data<CreatedWebhook>> create(JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var request = CreateWebhook.read(body, urlCheck);
        var webhook = Webhook.create(caller.organizationId(), request, secretBox, clock.now());
        record(AuditAction.WEBHOOK_CREATED, webhook);
        var response = CreatedWebhook.of(webhook, request.secret());
        return tags.created("/v1/webhooks/" + response.id(), response, WebhookResponse.of(webhook));
    }

    @RetriedTransaction
    RestResponse<Data<WebhookResponse>> update(
            String id, JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var webhook = Webhook.requireLocked(id);
        tags.requireMatch(() -> WebhookResponse.of(webhook));
        if (webhook.update(UpdateWebhook.read(body, webhook, urlCheck), clock.now())) {
            record(AuditAction.WEBHOOK_CHANGED, webhook);
        }
        return tags.changed(WebhookResponse.of(webhook));
    }

    private void record(AuditAction action, Webhook webhook) {
        auditLog.record(action, webhook.id(), webhook.host(), null);
    }

    /** A check of the URL in the body that gives away what was found out just now. */
    private Function<String, Optional<FieldError>> judgeUrl(JsonBody body) {
        var refusal = body.sentText("url").flatMap(targets::refusal);
        return url -> refusal;
    }
}
