package dev.okr.webhooks.delivery;

import java.time.Instant;

/** The consequence of an attempt for its delivery. */
sealed interface Verdict {
    /** The receiver accepted the event. */
    record Succeeded() implements Verdict {}

    /** The delivery is retried. */
    record Retry(Instant dueAt) implements Verdict {}

    /** The delivery is given up. */
    record GivenUp(FailureReason reason) implements Verdict {}

    static Verdict of(AttemptResult result, RetrySchedule schedule) {
        var outcome = result.outcome();
        if (outcome.succeeded()) {
            return new Succeeded();
        }
        if (outcome.gone()) {
            return new GivenUp(FailureReason.GONE);
        }
        // The delay starts at the end of the attempt, so that a slow receiver is not retried sooner.
        var endedAt = result.attemptedAt().plus(outcome.duration());
        return schedule.next(result.delivery().retries(), outcome.retryAfter())
                .<Verdict>map(delay -> new Retry(endedAt.plus(delay)))
                .orElseGet(() -> new GivenUp(FailureReason.EXHAUSTED));
    }
}
