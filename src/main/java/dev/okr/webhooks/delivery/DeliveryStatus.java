package dev.okr.webhooks.delivery;

/** The status of a delivery. */
public enum DeliveryStatus {
    /** Waits for an attempt, or is being attempted. */
    PENDING,
    /** Accepted by the receiver. */
    SUCCEEDED,
    /** Given up. */
    FAILED
}
