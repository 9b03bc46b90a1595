package dev.okr.webhooks.delivery;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The health of one webhook according to a batch of attempts.
 *
 * @param succeeded whether any attempt succeeded, which resets the failure time
 * @param failingSince the time of the first failure after the last success; null if there is none
 * @param lastFailure the time of the last failure after the last success; null if there is none
 * @param gone whether any attempt got a 410
 */
record EndpointHealth(
        UUID organizationId,
        UUID webhookId,
        boolean succeeded,
        @Nullable Instant failingSince,
        @Nullable Instant lastFailure,
        boolean gone) {

    /** One for each webhook, ordered by id so that replicas lock the rows in the same order. */
    static List<EndpointHealth> of(List<AttemptResult> results) {
        Map<UUID, EndpointHealth> byWebhook = new TreeMap<>();
        results.stream()
                .sorted(Comparator.comparing(EndpointHealth::endedAt))
                .forEach(result -> byWebhook.merge(result.delivery().webhookId(), of(result), EndpointHealth::then));
        return List.copyOf(byWebhook.values());
    }

    private static EndpointHealth of(AttemptResult result) {
        boolean succeeded = result.outcome().succeeded();
        var failedAt = succeeded ? null : endedAt(result);
        return new EndpointHealth(
                result.delivery().organizationId(),
                result.delivery().webhookId(),
                succeeded,
                failedAt,
                failedAt,
                result.outcome().gone());
    }

    private EndpointHealth then(EndpointHealth later) {
        return new EndpointHealth(
                organizationId,
                webhookId,
                succeeded || later.succeeded,
                later.succeeded || failingSince == null ? later.failingSince : failingSince,
                later.lastFailure,
                gone || later.gone);
    }

    private static Instant endedAt(AttemptResult result) {
        return result.attemptedAt().plus(result.outcome().duration());
    }
}
