package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.idempotency.Idempotent;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.function.Function;
import org.jboss.resteasy.reactive.RestResponse;

/**
 * The transactions in which the API creates and changes a webhook. {@link WebhookResource} resolves the host of the URL
 * before the transaction.
 */
@ApplicationScoped
class WebhookChanges {
    private final UtcClock clock;
    private final WebhookWriter webhooks;
    private final EntityTags tags;

    WebhookChanges(UtcClock clock, WebhookWriter webhooks, EntityTags tags) {
        this.clock = clock;
        this.webhooks = webhooks;
        this.tags = tags;
    }

    @Idempotent(secret = true)
    RestResponse<Data<CreatedWebhook>> create(JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var created = webhooks.create(UuidV7.at(clock.now()), body.reader(), urlCheck);
        return tags.created("/v1/webhooks/" + created.webhook().id(), created, created.webhook());
    }

    @RetriedTransaction
    RestResponse<Data<WebhookResponse>> update(
            String id, JsonBody body, Function<String, Optional<FieldError>> urlCheck) {
        var webhook = Webhook.requireLocked(id);
        tags.requireMatch(() -> WebhookResponse.of(webhook));
        webhooks.update(webhook, body.reader(), urlCheck);
        return tags.changed(WebhookResponse.of(webhook));
    }
}
