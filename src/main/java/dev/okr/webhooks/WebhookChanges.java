package dev.okr.webhooks;

import dev.okr.organizations.Limit;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.function.Function;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * The transactions that create and change a webhook. {@link WebhookResource} resolves the host of the URL before the
 * transaction, so that no transaction or lock waits for a DNS lookup.
 */
@ApplicationScoped
class WebhookChanges {
    private final UtcClock clock;
    private final Caller caller;
    private final SecretBox secretBox;
    private final EntityTags tags;
    private final AuditLog auditLog;

    WebhookChanges(UtcClock clock, Caller caller, SecretBox secretBox, EntityTags tags, AuditLog auditLog) {
        this.clock = clock;
        this.caller = caller;
        this.secretBox = secretBox;
        this.tags = tags;
        this.auditLog = auditLog;
    }

    @Idempotent(secret = true)
    RestResponse<Data<CreatedWebhook>> create(JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var request = CreateWebhook.read(body.reader(), urlCheck);
        // Without the lock, concurrent requests could exceed the limit.
        TenantSql.current().lockOrganization();
        Limit.WEBHOOKS.requireRoom(Webhook.count());
        var webhook = Webhook.create(caller.organizationId(), request, secretBox, clock.now());
        auditLog.record(AuditAction.WEBHOOK_CREATED, webhook.id(), webhook.host(), null);
        var response = CreatedWebhook.of(webhook, request.secret());
        return tags.created("/v1/webhooks/" + response.webhook().id(), response, response.webhook());
    }

    @RetriedTransaction
    RestResponse<Data<WebhookResponse>> update(
            String id, JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var webhook = Webhook.requireLocked(id);
        tags.requireMatch(() -> WebhookResponse.of(webhook));
        if (webhook.update(UpdateWebhook.read(body.reader(), webhook, urlCheck), clock.now())) {
            auditLog.record(AuditAction.WEBHOOK_CHANGED, webhook.id(), webhook.host(), null);
        }
        return tags.changed(WebhookResponse.of(webhook));
    }
}
