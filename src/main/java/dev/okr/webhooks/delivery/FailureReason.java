package dev.okr.webhooks.delivery;

/** Why a delivery was given up. */
public enum FailureReason {
    /** Every attempt of the schedule failed. */
    EXHAUSTED,
    /** The receiver answered that it is gone for good. */
    GONE,
    /** Its webhook was deactivated meanwhile. */
    DEACTIVATED
}
