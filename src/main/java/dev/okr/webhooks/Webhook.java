package dev.okr.webhooks;

import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.net.URI;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.annotations.SQLRestriction;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** A subscription. It sends events of an organisation to a URL and signs them with a secret. */
@Entity
@DynamicUpdate
@Table(name = "webhook")
@SQLRestriction("deleted_at is null")
public class Webhook extends TenantEntity {
    private static final TenantTable<Listed> TABLE = new TenantTable<>(
            "webhook",
            List.of("id", "url", "events", "active", "disabled_reason", "failing_since", "created_at", "updated_at"),
            Listed::read);

    /** How long the previous secret signs in addition to the new one after a rotation. */
    static final Duration ROTATION_OVERLAP = Duration.ofHours(24);

    /**
     * Each replica gives its events ids by its own clock. A recovery also includes events of a replica whose clock is
     * ahead by less than this.
     */
    private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofMinutes(1);

    private static final String NOUN = "webhook";
    private static final byte[] NO_SECRET = {};

    @Column(name = "url")
    String url;

    @Column(name = "events")
    @JdbcTypeCode(SqlTypes.ARRAY)
    List<String> events;

    @Column(name = "active")
    boolean active;

    /** Why the service deactivated the webhook. Null if the webhook is active or a user deactivated it. */
    @Column(name = "disabled_reason")
    @Nullable
    String disabledReason;

    @Column(name = "secret_key_id")
    String secretKeyId;

    @Column(name = "secret_ciphertext")
    byte[] secretCiphertext;

    @Column(name = "previous_secret_key_id")
    @Nullable
    String previousSecretKeyId;

    @Column(name = "previous_secret_ciphertext")
    byte @Nullable [] previousSecretCiphertext;

    @Column(name = "previous_secret_expires_at")
    @Nullable
    Instant previousSecretExpiresAt;

    /** The time of the first failed attempt since the last success. */
    @Column(name = "failing_since")
    @Nullable
    Instant failingSince;

    /** Background work cancels the pending deliveries from before this time. Null when it has finished. */
    @Column(name = "cancel_until")
    @Nullable
    Instant cancelUntil;

    @Column(name = "recovery_after")
    @Nullable
    UUID recoveryAfter;

    @Column(name = "recovery_until")
    @Nullable
    UUID recoveryUntil;

    @Column(name = "deleted_at")
    @Nullable
    Instant deletedAt;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Webhook() {}

    /** @throws Failure a conflict if a webhook has the id already */
    static Webhook create(UUID organizationId, UUID id, CreateWebhook request, SecretBox secretBox, Instant now) {
        // If two concurrent requests use the same id, the primary key makes the second one fail. Its retry fails here.
        // SQL finds deleted webhooks too.
        if (TenantSql.current().exists(TABLE, id)) {
            throw Failure.conflict("The webhook was already created.");
        }
        var webhook = new Webhook();
        webhook.id = id;
        webhook.url = request.url();
        webhook.events = request.events();
        webhook.active = true;
        var secret = secretBox.encrypt(request.secret().key(), secretContext(organizationId.toString(), webhook.id));
        webhook.secretKeyId = secret.keyId();
        webhook.secretCiphertext = secret.bytes();
        webhook.createdAt = now;
        webhook.updatedAt = now;
        webhook.persist();
        return webhook;
    }

    /** Changes the webhook. Returns whether a field has changed. */
    boolean update(UpdateWebhook request, Instant now) {
        var newUrl = request.url().orElse(url);
        var newEvents = request.events().orElse(events);
        boolean newActive = request.active().orElse(active);
        if (newUrl.equals(url) && newEvents.equals(events) && newActive == active) {
            return false;
        }
        url = newUrl;
        events = newEvents;
        if (newActive != active) {
            setActive(newActive, now);
        }
        updatedAt = Timestamps.later(now, updatedAt);
        return true;
    }

    /**
     * Activation clears the reason and the failure time. Deactivation cancels pending deliveries and ends a recovery.
     */
    private void setActive(boolean newActive, Instant now) {
        active = newActive;
        if (newActive) {
            disabledReason = null;
            failingSince = null;
        } else {
            cancelUntil = now;
            endRecovery();
        }
    }

    /** Replaces the secret. The previous secret also signs for {@link #ROTATION_OVERLAP}. */
    void rotateSecret(SigningSecret secret, SecretBox secretBox, Instant now) {
        previousSecretKeyId = secretKeyId;
        previousSecretCiphertext = secretCiphertext;
        previousSecretExpiresAt = now.plus(ROTATION_OVERLAP);
        var encrypted = secretBox.encrypt(secret.key(), secretContext(organizationId, id));
        secretKeyId = encrypted.keyId();
        secretCiphertext = encrypted.bytes();
        updatedAt = Timestamps.later(now, updatedAt);
    }

    /**
     * Starts a recovery of the events since a time. Failed deliveries are queued again. Events without a delivery get
     * one. If a recovery is in progress, the earlier start applies.
     *
     * @throws Failure a conflict if the webhook is inactive
     */
    public void recover(Instant since, Instant now) {
        requireActive();
        var after = UuidV7.least(since.isBefore(createdAt) ? createdAt : since);
        recoveryAfter = recoveryAfter == null || after.compareTo(recoveryAfter) < 0 ? after : recoveryAfter;
        recoveryUntil = UuidV7.least(now.plus(MAX_CLOCK_DIFFERENCE));
    }

    /** The host of the URL, without the path, which may be secret. */
    public String host() {
        return host(url);
    }

    /** The scheme, the host and the port of the URL, without the path. */
    String origin() {
        var uri = URI.create(url);
        return uri.getScheme() + "://" + uri.getRawAuthority();
    }

    /** The host of a URL that was validated before. */
    public static String host(String url) {
        return Objects.requireNonNullElse(URI.create(url).getHost(), "");
    }

    /** @throws Failure a conflict if the webhook is inactive */
    public void requireActive() {
        if (!active) {
            throw Failure.passingConflict("The webhook is inactive. Set active to true first.");
        }
    }

    /** A text that differs after each change. Entity tags show seconds, so two changes can have the same tag. */
    public String version() {
        return updatedAt.toString();
    }

    /** Whether the last attempt failed. */
    public boolean isFailing() {
        return failingSince != null;
    }

    private void endRecovery() {
        recoveryAfter = null;
        recoveryUntil = null;
    }

    /**
     * Marks the webhook as deleted. Deliveries stop and the secrets are erased at once. A background job then deletes
     * the deliveries, which may be a million, and finally the row.
     */
    void remove(Instant now) {
        active = false;
        deletedAt = now;
        cancelUntil = null;
        endRecovery();
        secretCiphertext = NO_SECRET;
        previousSecretKeyId = null;
        previousSecretCiphertext = null;
        previousSecretExpiresAt = null;
    }

    /**
     * The encryption context that binds a secret to its webhook. A secret that is copied to another row cannot be
     * decrypted.
     */
    public static String secretContext(String organizationId, UUID id) {
        return "webhook_secret/" + organizationId + '/' + id;
    }

    /** @throws Failure if the organisation has no such webhook */
    public static Webhook require(String publicId) {
        return IdKind.WEBHOOK
                .parse(publicId)
                .flatMap(id -> Webhook.<Webhook>findByIdOptional(id))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /**
     * Like {@link #require}, with a lock on the row, for changes and deletion. Every change locks the organisation for
     * its audit entry. This locks the organisation first, so that all changes lock in the same order.
     */
    public static Webhook requireLocked(String publicId) {
        TenantSql.current().lockOrganization();
        return IdKind.WEBHOOK
                .parse(publicId)
                .flatMap(id -> Webhook.<Webhook>findByIdOptional(id, LockModeType.PESSIMISTIC_WRITE))
                .orElseThrow(() -> Failure.notFound(NOUN));
    }

    /** The webhooks of the organisation, newest first. */
    public static Slice<Listed> list(ListQuery query) {
        return NewestFirst.of(TABLE).where("e.deleted_at IS NULL").slice(query);
    }

    /** A webhook in a list. */
    public record Listed(
            UUID id, WebhookResponse shown, @Nullable Instant failingSince) {
        public static Listed of(Webhook webhook) {
            return new Listed(webhook.id, WebhookResponse.of(webhook), webhook.failingSince);
        }

        private static Listed read(ResultSet row) throws SQLException {
            return new Listed(Sql.uuid(row, "id"), WebhookResponse.read(row), Sql.instantOrNull(row, "failing_since"));
        }
    }
}
