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
 * One event on its way to one webhook. What moves it along is the {@link DeliveryQueue} and the {@link AttemptLog}, for
 * many at once and by SQL; this is what a request sees of it.
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

    /** Queues a delivery that no fan-out makes; it is ready at once. */
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
     * Has another attempt made at once. One that is pending goes on with its schedule afterwards, one that is finished
     * gets this attempt alone; one that is being attempted right now is left to it.
     *
     * @param lastRetry how many delays the schedule has
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

    /** When it is attempted next, if that is known: not while it is being attempted or about to be. */
    Optional<Instant> nextAttemptAt() {
        return claim == null ? Optional.ofNullable(dueAt) : Optional.empty();
    }

    /** @throws Failure when the webhook has no such delivery */
    public static Delivery require(UUID webhookId, String publicId) {
        return find(webhookId, publicId, LockModeType.NONE);
    }

    /** As {@link #require}, to change it, under a lock on its row. */
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
     * The newest deliveries of a webhook. They are not counted, so that this costs the same however many there are.
     *
     * @param status only these; null for all
     * @param before only those older than this one; null for all
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

    /** Stores statuses in lower case. */
    @Converter(autoApply = true)
    static class StatusConverter extends EnumConverter<DeliveryStatus> {
        StatusConverter() {
            super(DeliveryStatus.class);
        }
    }

    /** Stores reasons in lower case. */
    @Converter(autoApply = true)
    static class ReasonConverter extends EnumConverter<FailureReason> {
        ReasonConverter() {
            super(FailureReason.class);
        }
    }
}
