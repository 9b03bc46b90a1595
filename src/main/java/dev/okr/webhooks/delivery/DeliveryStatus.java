package dev.okr.webhooks.delivery;

/** How far a delivery has come. */
public enum DeliveryStatus {
    /** To be attempted, now or later. */
    PENDING,
    /** Accepted by the receiver. */
    SUCCEEDED,
    /** Given up. */
    FAILED
}
