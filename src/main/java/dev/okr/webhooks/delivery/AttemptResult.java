package dev.okr.webhooks.delivery;

import dev.okr.webhooks.AttemptOutcome;
import java.time.Instant;

/** What became of an attempt of a claimed delivery, to be recorded. */
record AttemptResult(ClaimedDelivery delivery, Instant attemptedAt, AttemptOutcome outcome) {}
