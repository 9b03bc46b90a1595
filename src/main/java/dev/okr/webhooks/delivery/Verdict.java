package dev.okr.webhooks.delivery;

import java.time.Instant;

/** What an attempt means for its delivery. */
sealed interface Verdict {
    /** It has arrived. */
    record Succeeded() implements Verdict {}

    /** It is tried again. */
    record Retry(Instant dueAt) implements Verdict {}

    /** It is given up. */
    record GivenUp(FailureReason reason) implements Verdict {}

    static Verdict of(AttemptResult result, RetrySchedule schedule) {
        var outcome = result.outcome();
        if (outcome.succeeded()) {
            return new Succeeded();
        }
        if (outcome.gone()) {
            return new GivenUp(FailureReason.GONE);
        }
        // Counted from the end of the attempt: a receiver that takes its time is not asked again the sooner for it.
        var endedAt = result.attemptedAt().plus(outcome.duration());
        return schedule.next(result.delivery().retries(), outcome.retryAfter())
                .<Verdict>map(delay -> new Retry(endedAt.plus(delay)))
                .orElseGet(() -> new GivenUp(FailureReason.EXHAUSTED));
    }
}
