package dev.okr.webhooks.delivery;

import dev.okr.webhooks.AttemptOutcome;
import java.time.Instant;

/** The outcome of an attempt of a claimed delivery, not yet written. */
record AttemptResult(ClaimedDelivery delivery, Instant attemptedAt, AttemptOutcome outcome) {}
