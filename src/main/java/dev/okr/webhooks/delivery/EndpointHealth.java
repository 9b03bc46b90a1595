package dev.okr.webhooks.delivery;

import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.Sql.Write;
import dev.okr.webhooks.Webhook;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The health of one webhook according to a batch of attempts.
 *
 * @param succeeded whether any attempt succeeded, which resets the failure time
 * @param failingSince the time of the first failure after the last success, by {@link MonotonicClock}; null if there is
 *     none
 * @param gone whether any attempt got a 410
 */
record EndpointHealth(
        UUID webhookId, boolean succeeded, @Nullable Instant failingSince, boolean gone) {

    private static final Logger LOG = Logger.getLogger(EndpointHealth.class);

    private static final String GONE = "gone";
    private static final String FAILING = "failing";

    /** A webhook that fails for this long without a success is deactivated. */
    private static final Duration MAX_FAILING = Duration.ofDays(5);

    // The last condition skips webhooks that are not failing, because each write locks a row.
    private static final String CLEAR_FAILING = """
            UPDATE webhook SET failing_since = NULL
            WHERE organization_id = ? AND id = ANY (?::uuid[]) AND failing_since IS NOT NULL
            RETURNING id
            """;

    // The rows are found by their ids alone, because a join would leave the order to the planner.
    private static final String SET_FAILING = """
            UPDATE webhook SET failing_since = (
                SELECT f.since FROM unnest(?::timestamptz[], ?::uuid[]) f (since, id) WHERE f.id = webhook.id)
            WHERE organization_id = ? AND id = ANY (?) AND failing_since IS NULL
            """;
    private static final String DEACTIVATE = """
            UPDATE webhook SET active = false, disabled_reason = ?, cancel_until = ?,
                updated_at = greatest(?, updated_at),
                recovery_after = NULL, recovery_until = NULL
            WHERE organization_id = ? AND id = ANY (?) AND active AND (? OR failing_since <= ?)
            RETURNING id, url
            """;

    /** Clears the failure time of webhooks that succeeded. The statement returns the ids of those that were failing. */
    static Write clear(UUID organizationId, List<EndpointHealth> health) {
        return new Write(CLEAR_FAILING, organizationId, webhooks(health.stream().filter(EndpointHealth::succeeded)));
    }

    /**
     * Records since when webhooks have been failing, and deactivates those that are gone or failed for too long.
     *
     * @param now by the clock of this replica
     * @param time converts times to the clock of the database. Otherwise a replica whose clock is wrong would deactivate
     *     webhooks too early.
     */
    static void update(Sql sql, UUID organizationId, List<EndpointHealth> health, Instant now, DatabaseTime time)
            throws SQLException {
        var failing = health.stream().filter(EndpointHealth::failing).toList();
        var oldest = time.now().minus(MAX_FAILING);
        if (!failing.isEmpty()) {
            var webhooks = webhooks(failing.stream());
            var since = failing.stream()
                    .map(each -> time.of(Objects.requireNonNull(each.failingSince)))
                    .toList();
            sql.update(SET_FAILING, since, webhooks, organizationId, webhooks);
            deactivate(sql, organizationId, FAILING, webhooks, now, oldest);
        }
        var gone = webhooks(health.stream().filter(EndpointHealth::gone));
        if (!gone.isEmpty()) {
            deactivate(sql, organizationId, GONE, gone, now, oldest);
        }
    }

    /** One for each webhook, ordered by id so that replicas lock the rows in the same order. */
    static List<EndpointHealth> of(List<Attempt.Made> batch) {
        Map<UUID, EndpointHealth> byWebhook = new TreeMap<>();
        batch.stream()
                .sorted(Comparator.comparing(Attempt.Made::endedAt))
                .forEach(made -> byWebhook.merge(made.attempt().webhookId(), of(made), EndpointHealth::then));
        return List.copyOf(byWebhook.values());
    }

    /** Whether the last attempt failed. */
    boolean failing() {
        return failingSince != null;
    }

    /** @param oldest a webhook that has been failing since this time or earlier is deactivated */
    private static void deactivate(
            Sql sql, UUID organizationId, String reason, List<UUID> webhooks, Instant now, Instant oldest)
            throws SQLException {
        var deactivated = sql.list(
                row -> Map.entry(Sql.uuid(row, "id"), row.getString("url")),
                DEACTIVATE,
                reason,
                now,
                now,
                organizationId,
                webhooks,
                reason.equals(GONE),
                oldest);
        var change = Change.by(Actor.SERVICE, organizationId, sql, now);
        for (var webhook : deactivated) {
            change.record(AuditAction.WEBHOOK_DEACTIVATED, webhook.getKey(), Webhook.host(webhook.getValue()), reason);
            LOG.infof("Webhook %s was deactivated: %s", IdKind.WEBHOOK.format(webhook.getKey()), reason);
        }
    }

    private static List<UUID> webhooks(Stream<EndpointHealth> health) {
        return health.map(EndpointHealth::webhookId).toList();
    }

    private static EndpointHealth of(Attempt.Made made) {
        boolean succeeded = made.outcome().succeeded();
        return new EndpointHealth(
                made.attempt().webhookId(),
                succeeded,
                succeeded ? null : made.endedAt(),
                made.outcome().gone());
    }

    private EndpointHealth then(EndpointHealth later) {
        return new EndpointHealth(
                webhookId,
                succeeded || later.succeeded,
                later.succeeded || failingSince == null ? later.failingSince : failingSince,
                gone || later.gone);
    }
}
