package dev.okr.webhooks.delivery;

import dev.okr.webhooks.AttemptOutcome;
import java.time.Duration;

/** The consequence of an attempt for its delivery. */
sealed interface Verdict {
    /** The receiver accepted the event. */
    record Succeeded() implements Verdict {}

    /** The delivery is retried. The delay starts at the end of the attempt, so a slow receiver gets the full delay. */
    record Retry(Duration delay) implements Verdict {}

    /** The delivery is given up. */
    record GivenUp(FailureReason reason) implements Verdict {}

    /** @param retries the number of retry delays used before the attempt */
    static Verdict of(AttemptOutcome outcome, int retries, RetrySchedule schedule) {
        if (outcome.succeeded()) {
            return new Succeeded();
        }
        if (outcome.gone()) {
            return new GivenUp(FailureReason.GONE);
        }
        return schedule.next(retries, outcome.retryAfter())
                .<Verdict>map(Retry::new)
                .orElseGet(() -> new GivenUp(FailureReason.EXHAUSTED));
    }
}
