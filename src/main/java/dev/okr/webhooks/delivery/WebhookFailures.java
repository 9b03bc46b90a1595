package dev.okr.webhooks.delivery;

import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.Webhook;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Records when webhooks started to fail. Deactivates those that have failed for too long or answered 410. */
final class WebhookFailures {
    private static final String GONE = "gone";
    private static final String FAILING = "failing";
    /** A webhook that fails for this long without a success is deactivated. */
    private static final Duration MAX_FAILING = Duration.ofDays(5);

    private static final Logger LOG = Logger.getLogger(WebhookFailures.class);

    // The last condition skips webhooks that are not failing, because each write locks the webhook.
    private static final String CLEAR_FAILING = """
            UPDATE webhook w SET failing_since = NULL FROM unnest(?::uuid[], ?::uuid[]) AS r (organization_id, id)
            WHERE w.organization_id = r.organization_id AND w.id = r.id AND w.failing_since IS NOT NULL
            """;
    private static final String SET_FAILING = """
            UPDATE webhook w SET failing_since = r.at
            FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS r (organization_id, id, at)
            WHERE w.organization_id = r.organization_id AND w.id = r.id AND w.failing_since IS NULL
            """;
    private static final String DEACTIVATE = """
            UPDATE webhook w SET active = false, disabled_reason = ?, cancel_until = ?, updated_at = ?,
                recovery_after = NULL, recovery_until = NULL
            FROM unnest(?::uuid[], ?::uuid[], ?::timestamptz[]) AS r (organization_id, id, failing_until)
            WHERE w.organization_id = r.organization_id AND w.id = r.id AND w.active
                AND (r.failing_until IS NULL OR w.failing_since <= r.failing_until)
            RETURNING w.organization_id, w.id, w.url
            """;

    private WebhookFailures() {}

    static void update(Sql sql, List<EndpointHealth> health, Instant now) throws SQLException {
        var succeeded = health.stream().filter(EndpointHealth::succeeded).toList();
        if (!succeeded.isEmpty()) {
            sql.update(CLEAR_FAILING, organizations(succeeded), webhooks(succeeded));
        }
        var gone = health.stream().filter(EndpointHealth::gone).toList();
        if (!gone.isEmpty()) {
            var limits = new ArrayList<@Nullable Instant>();
            gone.forEach(each -> limits.add(null));
            deactivate(sql, GONE, gone, limits, now);
        }
        var failing =
                health.stream().filter(each -> each.failingSince() != null).toList();
        if (!failing.isEmpty()) {
            var since = failing.stream().map(EndpointHealth::failingSince).toList();
            sql.update(SET_FAILING, organizations(failing), webhooks(failing), since);
            var limits = failing.stream()
                    .map(each -> Objects.requireNonNull(each.lastFailure()).minus(MAX_FAILING))
                    .toList();
            deactivate(sql, FAILING, failing, limits, now);
        }
    }

    private static void deactivate(
            Sql sql, String reason, List<EndpointHealth> health, List<? extends @Nullable Instant> limits, Instant now)
            throws SQLException {
        var deactivated = sql.list(
                Deactivated::read, DEACTIVATE, reason, now, now, organizations(health), webhooks(health), limits);
        for (var webhook : deactivated) {
            Change.by(Actor.SERVICE, webhook.organizationId(), sql, now)
                    .record(AuditAction.WEBHOOK_DEACTIVATED, webhook.id(), Webhook.host(webhook.url()), reason);
            LOG.infof("deactivated webhook %s: %s", IdKind.WEBHOOK.format(webhook.id()), reason);
        }
    }

    private record Deactivated(UUID organizationId, UUID id, String url) {
        static Deactivated read(ResultSet row) throws SQLException {
            return new Deactivated(
                    row.getObject("organization_id", UUID.class),
                    row.getObject("id", UUID.class),
                    row.getString("url"));
        }
    }

    private static List<UUID> organizations(List<EndpointHealth> health) {
        return health.stream().map(EndpointHealth::organizationId).toList();
    }

    private static List<UUID> webhooks(List<EndpointHealth> health) {
        return health.stream().map(EndpointHealth::webhookId).toList();
    }
}
