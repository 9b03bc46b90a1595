package dev.okr.webhooks.delivery;

/** Why a delivery was given up. */
public enum FailureReason {
    /** Every attempt of the schedule failed. */
    EXHAUSTED,
    /** The receiver answered 410. */
    GONE,
    /** The webhook was deactivated. */
    DEACTIVATED
}
