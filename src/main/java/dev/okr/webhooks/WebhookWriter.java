package dev.okr.webhooks;

import dev.okr.access.limits.RequestGate;
import dev.okr.organizations.Limit;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.organizations.audit.Differences;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates, changes and deletes webhooks for the API and the console. Each method works in the caller's transaction and
 * adds an entry to the audit log. Entries contain no path of a URL, because it may be secret.
 */
@ApplicationScoped
public class WebhookWriter {
    private final UtcClock clock;
    private final Caller caller;
    private final SecretBox secretBox;
    private final Targets targets;
    private final AuditLog auditLog;

    WebhookWriter(UtcClock clock, Caller caller, SecretBox secretBox, Targets targets, AuditLog auditLog) {
        this.clock = clock;
        this.caller = caller;
        this.secretBox = secretBox;
        this.targets = targets;
        this.auditLog = auditLog;
    }

    /**
     * Resolves the host of a URL now. The returned check only reports the result. Call this before the transaction, so
     * that no transaction or lock waits for a DNS lookup. Meanwhile, another request uses the turn at the database.
     *
     * @param url empty if the request has none
     */
    public Function<String, Optional<FieldError>> urlCheck(Optional<String> url) {
        if (url.isEmpty()) {
            return text -> Optional.empty();
        }
        var organization = caller.organizationId();
        var refusal = RequestGate.waitWithoutTurn(() -> targets.refusal(url.get(), organization));
        return text -> refusal;
    }

    /**
     * @param fields the fields of {@link CreateWebhook}
     * @throws Failure a conflict if the id is taken. So a form that is submitted twice creates one webhook
     */
    public CreatedWebhook create(UUID id, BodyReader fields, Function<String, Optional<FieldError>> urlCheck) {
        var request = CreateWebhook.read(fields, urlCheck);
        // Without the lock, two concurrent requests could exceed the limit.
        TenantSql.current().lockOrganization();
        Limit.WEBHOOKS.requireRoom(Webhook.count());
        var webhook = Webhook.create(caller.organizationId(), id, request, secretBox, clock.now());
        record(AuditAction.WEBHOOK_CREATED, webhook, "events " + String.join(", ", webhook.events));
        return CreatedWebhook.of(webhook, request.secret());
    }

    /**
     * @param webhook read under the lock
     * @param fields the fields of {@link UpdateWebhook}
     */
    public void update(Webhook webhook, BodyReader fields, Function<String, Optional<FieldError>> urlCheck) {
        var url = webhook.url;
        var origin = webhook.origin();
        var events = List.copyOf(webhook.events);
        boolean active = webhook.active;
        if (webhook.update(UpdateWebhook.read(fields, webhook, urlCheck), clock.now())) {
            var differences = new Differences().add("url", origin, webhook.origin());
            if (origin.equals(webhook.origin()) && !url.equals(webhook.url)) {
                differences.add("path of the url");
            }
            differences.add("events", events, webhook.events).add("active", active, webhook.active);
            record(AuditAction.WEBHOOK_CHANGED, webhook, differences.text());
        }
    }

    /** @param webhook read under the lock */
    public CreatedWebhook rotateSecret(Webhook webhook) {
        var secret = SigningSecret.generate();
        var now = clock.now();
        webhook.rotateSecret(secret, secretBox, now);
        var end = Timestamps.format(now.plus(Webhook.ROTATION_OVERLAP));
        record(AuditAction.WEBHOOK_SECRET_ROTATED, webhook, "the previous secret is valid until " + end);
        return CreatedWebhook.of(webhook, secret);
    }

    /** @param webhook read under the lock */
    public void delete(Webhook webhook) {
        webhook.remove(clock.now());
        record(AuditAction.WEBHOOK_DELETED, webhook, null);
    }

    private void record(AuditAction action, Webhook webhook, @Nullable String detail) {
        auditLog.record(action, webhook.id(), webhook.host(), detail);
    }
}
