package dev.okr.webhooks.delivery;

import dev.okr.organizations.tenant.TenantEntity;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** One attempt of a delivery and its outcome. */
@Entity
@Immutable
@Table(name = "delivery_attempt")
public class DeliveryAttempt extends TenantEntity {
    private static final int MAX_SHOWN = 100;

    @Column(name = "delivery_id")
    UUID deliveryId;

    @Column(name = "attempted_at")
    Instant attemptedAt;

    @Column(name = "duration_ms")
    int durationMillis;

    @Column(name = "status_code")
    @Nullable
    Integer statusCode;

    @Column(name = "error")
    @Nullable
    String error;

    @Column(name = "response")
    @Nullable
    String response;

    protected DeliveryAttempt() {}

    /** The attempts of a delivery, newest first. */
    static List<DeliveryAttempt> newest(UUID deliveryId) {
        return find("deliveryId = ?1 order by id desc", deliveryId)
                .range(0, MAX_SHOWN - 1)
                .list();
    }
}
