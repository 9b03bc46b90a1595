package dev.okr.webhooks;

import dev.okr.encryption.SecretBox;
import dev.okr.errors.Failure;
import dev.okr.http.ListQuery;
import dev.okr.http.Slice;
import dev.okr.ids.IdKind;
import dev.okr.ids.UuidV7;
import dev.okr.organizations.NewestFirst;
import dev.okr.organizations.TenantEntity;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** A subscription: events of an organisation are sent to a URL, signed with a secret. */
@Entity
@DynamicUpdate
@Table(name = "webhook")
public class Webhook extends TenantEntity {
    private static final String NOUN = "webhook";

    @Column(name = "url")
    String url;

    @Column(name = "events")
    @JdbcTypeCode(SqlTypes.ARRAY)
    List<String> events;

    @Column(name = "active")
    boolean active;

    /** Why the service itself switched it off; none while it is active, and none when a person did. */
    @Column(name = "disabled_reason")
    @Nullable
    String disabledReason;

    @Column(name = "secret_key_id")
    String secretKeyId;

    @Column(name = "secret_ciphertext")
    byte[] secretCiphertext;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Webhook() {}

    static Webhook create(UUID organizationId, CreateWebhook request, SecretBox secretBox, Instant now) {
        var webhook = new Webhook();
        webhook.id = UuidV7.at(now);
        webhook.url = request.url();
        webhook.events = request.events();
        webhook.active = true;
        var secret = secretBox.seal(request.secret().key(), secretContext(organizationId.toString(), webhook.id));
        webhook.secretKeyId = secret.keyId();
        webhook.secretCiphertext = secret.bytes();
        webhook.createdAt = now;
        webhook.updatedAt = now;
        webhook.persist();
        return webhook;
    }

    void update(UpdateWebhook request, Instant now) {
        var newUrl = request.url().orElse(url);
        var newEvents = request.events().orElse(events);
        boolean newActive = request.active().orElse(active);
        if (newUrl.equals(url) && newEvents.equals(events) && newActive == active) {
            return;
        }
        url = newUrl;
        events = newEvents;
        active = newActive;
        if (active) {
            disabledReason = null;
        }
        updatedAt = now;
    }

    /** Binds the encrypted secret to its webhook: copied to another's row, it does not decrypt. */
    static String secretContext(String organizationId, UUID id) {
        return "webhook_secret/" + organizationId + '/' + id;
    }

    /** @throws Failure when the organisation has no such webhook */
    static Webhook require(String publicId) {
        return IdKind.WEBHOOK
                .parse(publicId)
                .flatMap(id -> find("id", id).<Webhook>firstResultOptional())
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** As {@link #require}, to change or delete it, under a lock on its row. */
    static Webhook requireLocked(String publicId) {
        return IdKind.WEBHOOK
                .parse(publicId)
                .flatMap(id ->
                        find("id", id).withLock(LockModeType.PESSIMISTIC_WRITE).<Webhook>firstResultOptional())
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    static Slice<Webhook> list(ListQuery query) {
        return NewestFirst.of(Webhook.class, webhook -> webhook.createdAt).slice(query);
    }
}
