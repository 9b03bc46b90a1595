package dev.okr.webhooks.delivery;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Finds organisations with work and visits each in one transaction: first it fans out events, then it claims
 * deliveries. The search takes no locks, so it can read all organisations of a distributed database. Another
 * replica may do the work before the visit begins.
 */
@ApplicationScoped
class Visits {
    private static final Logger LOG = Logger.getLogger(Visits.class);

    private static final int MAX_EVENTS = 1_000;
    private static final int MAX_LANES = 512;

    /** The maximum number of tries of a visit that conflicts with other transactions. */
    private static final int MAX_VISITS = 3;

    /**
     * The maximum time to repeat a visit, and to fan out events one by one. It is checked between them. The next round
     * continues with the rest.
     */
    private static final Duration MAX_ROUND = Duration.ofMillis(500);

    // Returns due lanes in the order of their due times, then organisations with events.
    private static final String FIND = """
            /* all organizations */
            (SELECT organization_id, webhook_id FROM delivery_lane
                WHERE %1$s failing = false AND due_at <= ? AND webhook_id <> ALL (?::uuid[])
                    AND organization_id <> ALL (?::uuid[])
                ORDER BY due_at LIMIT ?)
            UNION ALL
            (SELECT organization_id, webhook_id FROM delivery_lane
                WHERE %1$s failing = true AND due_at <= ? AND webhook_id <> ALL (?::uuid[])
                    AND organization_id <> ALL (?::uuid[])
                ORDER BY due_at LIMIT ?)
            UNION ALL
            (SELECT organization_id, NULL::uuid AS webhook_id FROM outbox
                WHERE %1$s organization_id > ? AND organization_id <> ALL (?::uuid[])
                    AND (retry_at <= ? OR retry_at IS NULL AND organization_id <> ALL (?::uuid[]))
                ORDER BY organization_id, event_id LIMIT ?)
            """;

    private final QueueDatabase database;
    private final FanOut fanOut;
    private final Claims claims;

    Visits(QueueDatabase database, FanOut fanOut, Claims claims) {
        this.database = database;
        this.fanOut = fanOut;
        this.claims = claims;
    }

    private record Row(UUID organizationId, @Nullable UUID webhookId) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(Sql.uuid(row, "organization_id"), row.getObject("webhook_id", UUID.class));
        }

        /** The organisation, if the row is for its events. Empty if the row is for a lane. */
        Optional<UUID> withEvents() {
            return webhookId == null ? Optional.of(organizationId) : Optional.empty();
        }
    }

    /**
     * Work of an organisation.
     *
     * @param events whether it has events to fan out
     * @param lanes its due lanes that this replica can serve now
     * @param foundAt when it was found, by the clock of the database.
     *     Events that are postponed until after this time are left out.
     */
    record Work(UUID organizationId, boolean events, List<UUID> lanes, Instant foundAt) {
        Work withoutEvents() {
            return new Work(organizationId, false, lanes, foundAt);
        }
    }

    /**
     * A page of work.
     *
     * @param claimNew whether each visit may claim deliveries of the events that it fans out. If other lanes may have
     *     waited longer, only organisations that use few slots may do this.
     * @param next the end of the page, if there may be further organisations with events
     */
    record Found(List<Work> work, boolean claimNew, Optional<UUID> next) {}

    /**
     * The result of a visit.
     *
     * @param queued whether there are new deliveries
     * @param moreEvents whether there may be more events to fan out
     * @param moreDeliveries whether there may be more deliveries to claim, of this or another organisation
     */
    record Result(List<Attempt> claimed, boolean queued, boolean moreEvents, boolean moreDeliveries) {
        boolean more() {
            return moreEvents || moreDeliveries;
        }
    }

    /**
     * The work of organisations that have new events. Postponed events wait for a search. While a worker of a
     * distributed schema is unreachable, all events wait for a search.
     *
     * @param excluded organisations that are not visited now
     */
    List<Work> committed(List<UUID> organizations, List<UUID> excluded) {
        if (!database.organizations().areReachable()) {
            return List.of();
        }
        return organizations.stream()
                .filter(organization -> !excluded.contains(organization))
                .map(organization -> new Work(organization, true, List.of(), Instant.EPOCH))
                .toList();
    }

    /**
     * Finds due lanes, and organisations with events.
     *
     * @param last finds only events of organisations after this one
     * @param excluded organisations that are not visited now
     * @param visited organisations whose events were just fanned out. Of their events, only postponed ones are found.
     */
    Found find(UUID last, List<UUID> excluded, List<UUID> visited, Slots slots) throws SQLException {
        var now = MonotonicClock.now();
        var busy = slots.busyEndpoints(now);
        var full = Stream.concat(excluded.stream(), slots.fullOrganizations().stream())
                .toList();
        var fullOfFailing = Stream.concat(full.stream(), slots.fullOfUnhealthy(now).stream())
                .toList();
        // A lane that gets no slot would need a useless transaction. This still happens if the slots for slow endpoints
        // are used up by the lanes before it.
        int maxLanes = Math.min(MAX_LANES, slots.free());
        int maxFailing = Math.min(maxLanes, slots.freeForFailing(now));
        var databaseNow = database.read(database::now);
        OrganizationSearch.Search<Row> search = (sql, condition) -> {
            return sql.list(
                    Row::read,
                    FIND.formatted(condition),
                    databaseNow,
                    busy,
                    full,
                    maxLanes,
                    databaseNow,
                    busy,
                    fullOfFailing,
                    maxFailing,
                    last,
                    excluded,
                    databaseNow,
                    visited,
                    MAX_EVENTS);
        };
        var page = database.organizations().page(search, MAX_EVENTS, Row::withEvents);
        var rows = page.rows();
        var events =
                rows.stream().map(Row::withEvents).flatMap(Optional::stream).toList();
        var withEvents = Set.copyOf(events);
        var lanes = new LinkedHashMap<UUID, List<UUID>>();
        rows.forEach(row -> {
            var ofOrganization = lanes.computeIfAbsent(row.organizationId(), key -> new ArrayList<>());
            if (row.webhookId() != null) {
                ofOrganization.add(row.webhookId());
            }
        });
        var work = lanes.entrySet().stream()
                .map(each -> new Work(each.getKey(), withEvents.contains(each.getKey()), each.getValue(), databaseNow))
                .toList();
        boolean claimNew = rows.size() - events.size() < maxLanes;
        return new Found(work, claimNew, page.last());
    }

    /**
     * Visits an organisation in one transaction. It commits the claims before their attempts start. If the visit fails,
     * one event may be the cause. Each event is then fanned out alone, and the claims have their own transaction. A lock
     * timeout is not the fault of an event, so the visit fails.
     */
    Result visit(Work work, boolean claimNew, Slots slots) throws SQLException {
        try {
            return visitWithRetries(work, claimNew, slots);
        } catch (SQLException | RuntimeException e) {
            if (!work.events() || isOfDatabase(e) || SqlFailures.isLockTimeout(e)) {
                throw e;
            }
        }
        fanOutEach(work.organizationId());
        var claims = visitWithRetries(work.withoutEvents(), claimNew, slots);
        return new Result(claims.claimed(), true, true, claims.moreDeliveries());
    }

    /** Repeats a visit that conflicts with another transaction. The conflict is usually over then. */
    private Result visitWithRetries(Work work, boolean claimNew, Slots slots) throws SQLException {
        var end = MonotonicClock.now().plus(MAX_ROUND);
        for (int visits = 1; ; visits++) {
            try {
                return visitOnce(work, claimNew, slots);
            } catch (SQLException | RuntimeException e) {
                boolean isLast = visits == MAX_VISITS || !MonotonicClock.now().isBefore(end);
                if (isLast || !SqlFailures.isConflict(e)) {
                    throw e;
                }
            }
        }
    }

    /**
     * Fans out the oldest events of an organisation, each in its own transaction. It postpones those that fail. The
     * round ends when {@link #MAX_ROUND} has passed or an event took too long. So other organisations do not wait for
     * more than one such event.
     */
    private void fanOutEach(UUID organization) throws SQLException {
        boolean late = false;
        var events = database.read(sql -> FanOut.oldest(sql, organization, database.now(sql)))
                .iterator();
        var end = MonotonicClock.now().plus(MAX_ROUND);
        while (events.hasNext() && !late && MonotonicClock.now().isBefore(end)) {
            var event = events.next();
            try {
                database.transaction(sql -> {
                    sql.updateAll(fanOut.lockOne(sql, organization, event.id()).writes());
                    return event;
                });
            } catch (SQLException | RuntimeException e) {
                if (isOfDatabase(e)) {
                    throw e;
                }
                late = SqlFailures.tookTooLong(e);
                postpone(organization, event, e);
            }
        }
    }

    /** A conflict and a lock timeout are not the fault of the event, so they are not counted. */
    private void postpone(UUID organization, FanOut.Waiting event, Exception failure) throws SQLException {
        boolean counted = !SqlFailures.isConflict(failure) && !SqlFailures.isLockTimeout(failure);
        if (database.transaction(sql -> FanOut.postpone(sql, organization, event, counted, database.now(sql)))) {
            LOG.errorf(
                    "Event %s was set aside, because its fan-out failed. It is tried again every hour. Reason: %s",
                    IdKind.EVENT.format(event.id()), SqlFailures.reason(failure));
        }
    }

    /**
     * Whether the database is the cause. A timeout does not count, because the event can cause it. If the database
     * caused it after all, the event cannot be postponed either.
     */
    private static boolean isOfDatabase(Exception failure) {
        return SqlFailures.isUnavailable(failure) && !SqlFailures.tookTooLong(failure);
    }

    private Result visitOnce(Work work, boolean claimNew, Slots slots) throws SQLException {
        var organization = work.organizationId();
        return database.transaction(sql -> {
            var batch = work.events() ? fanOut.lock(sql, organization, work.foundAt()) : FanOut.Batch.NONE;
            var lanes = new LinkedHashSet<>(work.lanes());
            if (claimNew || slots.usesFew(organization)) {
                lanes.addAll(batch.webhooks());
            }
            var claimed = Claims.Claimed.NONE;
            if (!lanes.isEmpty() && slots.free() > 0) {
                claimed = claims.claim(sql, organization, batch.writes(), lanes, slots);
            } else {
                sql.updateAll(batch.writes());
            }
            boolean more = claimed.more() || !claimNew && claimed.requested();
            return new Result(claimed.attempts(), !batch.webhooks().isEmpty(), batch.more(), more);
        });
    }
}
