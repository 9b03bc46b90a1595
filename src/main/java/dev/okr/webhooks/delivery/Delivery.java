package dev.okr.webhooks.delivery;

import dev.okr.events.Event;
import dev.okr.organizations.tenant.EnumConverter;
import dev.okr.organizations.tenant.NewestFirst;
import dev.okr.organizations.tenant.TenantEntity;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import jakarta.persistence.Column;
import jakarta.persistence.Converter;
import jakarta.persistence.Entity;
import jakarta.persistence.LockModeType;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of one event to one webhook. {@link Lane}, {@link Claims} and {@link AttemptLog} change deliveries in
 * bulk by SQL. Requests use this entity.
 */
@Entity
@DynamicUpdate
@Table(name = "delivery")
public class Delivery extends TenantEntity {
    private static final TenantTable<DeliveryResponse> TABLE = new TenantTable<>(
            "delivery",
            List.of(
                    "id",
                    "webhook_id",
                    "event_id",
                    "status",
                    "failure_reason",
                    "attempts",
                    "due_at",
                    "claim",
                    "created_at",
                    "updated_at"),
            DeliveryResponse::read);

    @Column(name = "webhook_id", updatable = false)
    UUID webhookId;

    @Column(name = "event_id", updatable = false)
    UUID eventId;

    @Column(name = "status")
    DeliveryStatus status;

    @Column(name = "failure_reason")
    @Nullable
    FailureReason failureReason;

    @Column(name = "attempts")
    int attempts;

    @Column(name = "retries")
    int retries;

    @Column(name = "ready")
    boolean ready;

    @Column(name = "due_at")
    @Nullable
    Instant dueAt;

    @Column(name = "claim")
    @Nullable
    UUID claim;

    @Column(name = "created_at", updatable = false)
    Instant createdAt;

    @Column(name = "updated_at")
    Instant updatedAt;

    protected Delivery() {}

    /** Queues a delivery outside the fan-out. It is ready at once. */
    static Delivery create(UUID webhookId, UUID eventId, Instant now) {
        var delivery = new Delivery();
        delivery.id = UuidV7.at(now);
        delivery.webhookId = webhookId;
        delivery.eventId = eventId;
        delivery.status = DeliveryStatus.PENDING;
        delivery.ready = true;
        delivery.createdAt = now;
        delivery.updatedAt = now;
        delivery.persist();
        return delivery;
    }

    /**
     * Requests another attempt at once. A pending delivery continues its retry schedule afterwards. A finished delivery
     * gets only this attempt. A delivery that is ready or claimed does not change.
     *
     * @param lastRetry the number of delays in the retry schedule
     */
    void redeliver(int lastRetry, Instant now) {
        if (status == DeliveryStatus.PENDING && (ready || claim != null)) {
            return;
        }
        if (status != DeliveryStatus.PENDING) {
            status = DeliveryStatus.PENDING;
            retries = lastRetry;
        }
        failureReason = null;
        ready = true;
        dueAt = null;
        updatedAt = now;
    }

    /** The time of the next attempt, if one is scheduled. Empty while an attempt is in flight or about to start. */
    Optional<Instant> nextAttemptAt() {
        return claim == null ? Optional.ofNullable(dueAt) : Optional.empty();
    }

    /** @throws Failure if the webhook has no such delivery */
    public static Delivery require(UUID webhookId, String publicId) {
        return find(webhookId, publicId, LockModeType.NONE);
    }

    /** Like {@link #require}, with a lock on the row. */
    static Delivery requireLocked(UUID webhookId, String publicId) {
        return find(webhookId, publicId, LockModeType.PESSIMISTIC_WRITE);
    }

    private static Delivery find(UUID webhookId, String publicId, LockModeType lock) {
        return IdKind.DELIVERY
                .parse(publicId)
                .flatMap(id -> find("id = ?1 and webhookId = ?2", id, webhookId)
                        .withLock(lock)
                        .<Delivery>firstResultOptional())
                .orElseThrow(() -> Failure.notFound("delivery"));
    }

    /**
     * The newest deliveries of a webhook. They are not counted, so the cost does not depend on their number.
     *
     * @param status only deliveries with this status; null for all
     * @param before only deliveries older than this one; null for all
     */
    public static List<DeliveryResponse> newest(
            UUID webhookId, @Nullable DeliveryStatus status, @Nullable UUID before, int limit) {
        return withTypes(NewestFirst.byId(TABLE)
                .with("webhook_id", webhookId)
                .with("status", status)
                .first(before, limit));
    }

    static Slice<DeliveryResponse> list(ListQuery query, UUID webhookId, @Nullable DeliveryStatus status) {
        var deliveries = NewestFirst.byId(TABLE)
                .with("webhook_id", webhookId)
                .with("status", status)
                .slice(query);
        return new Slice<>(withTypes(deliveries.items()), deliveries.total(), deliveries.nextCursor());
    }

    private static List<DeliveryResponse> withTypes(List<DeliveryResponse> deliveries) {
        var types = Event.types(deliveries.stream()
                .flatMap(delivery -> IdKind.EVENT.parse(delivery.eventId()).stream())
                .toList());
        return deliveries.stream()
                .map(delivery -> delivery.withEventType(types.getOrDefault(delivery.eventId(), "")))
                .toList();
    }

    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<DeliveryStatus> {
        StatusConverter() {
            super(DeliveryStatus.class);
        }
    }

    @Converter(autoApply = true)
    static class ReasonConverter extends EnumConverter<FailureReason> {
        ReasonConverter() {
            super(FailureReason.class);
        }
    }
}
