package dev.okr.events;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.Sql;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/** Reads events oldest first, in the {@link EventOrder}, for clients that follow all changes. */
@ApplicationScoped
public class EventFeed {
    /**
     * Cursors are valid this much longer than the retention, because a reader without a cursor starts with events of
     * that age.
     */
    private static final Duration VALID_LONGER = Duration.ofHours(1);

    /**
     * Events are kept this much longer than the retention. The difference to {@link #VALID_LONGER} is the longest time
     * that may pass between the time in an event's id and its commit. A cursor contains the time up to which its reader
     * has all events.
     */
    public static final Duration KEPT_LONGER = Duration.ofHours(2);

    /** A request assigns positions to at most this many batches of {@code EventOrder.MAX_EVENTS} events. */
    private static final int MAX_EXTENSIONS = 10;

    private static final String LAST = """
            SELECT position, created_at FROM event WHERE organization_id = :organization AND position IS NOT NULL
            ORDER BY position DESC LIMIT 1
            """;
    private static final String PAGE = """
            SELECT e.id, e.type, e.payload, e.position, e.created_at FROM event e
            WHERE e.organization_id = :organization AND e.position > ? AND e.position <= ?%s
            ORDER BY e.position LIMIT %d
            """;
    private static final String COUNT = """
            SELECT (SELECT count(*) FROM event e WHERE e.organization_id = :organization AND e.position > ?%1$s)
                + (SELECT count(*) FROM event e WHERE e.organization_id = :organization AND e.position IS NULL%1$s)
            """;

    private final EventOrder order;
    private final DatabaseClock clock;
    private final Duration retention;

    EventFeed(
            EventOrder order,
            DatabaseClock clock,
            @ConfigProperty(name = "okr.webhooks.retention", defaultValue = "P30D") Duration retention) {
        this.order = order;
        this.clock = clock;
        this.retention = retention;
    }

    private record Placed(
            long position, Instant createdAt, @Nullable Event event) {
        private static Placed last(ResultSet row) throws SQLException {
            return new Placed(row.getLong("position"), Sql.instant(row, "created_at"), null);
        }

        private static Placed read(ResultSet row) throws SQLException {
            var event = new Event(row.getString("type"), row.getString("payload"));
            return new Placed(row.getLong("position"), Sql.instant(row, "created_at"), event);
        }
    }

    /** The conditions on events, except those on positions. */
    private record Filters(String conditions, List<Object> values) {
        static Filters of(@Nullable EventType type, @Nullable String resourceId, @Nullable Instant since) {
            var filters = new Filters("", List.of());
            return filters.and("e.type = ?", type == null ? null : type.type())
                    .and("e.resource_id = ?", resourceId)
                    .and("e.id >= ?", since == null ? null : UuidV7.least(since));
        }

        private Filters and(String condition, @Nullable Object value) {
            if (value == null) {
                return this;
            }
            var all = new ArrayList<>(values);
            all.add(value);
            return new Filters(conditions + " AND " + condition, all);
        }

        /** Without filters, there is one right plan. With filters, the plan depends on their values. */
        <T> List<T> list(Sql.Reader<T> reader, String statement, List<Object> parameters) {
            return values.isEmpty()
                    ? TenantSql.current().list(reader, statement, parameters.toArray())
                    : TenantSql.current().listPlanned(reader, statement, parameters.toArray());
        }
    }

    /**
     * Lists the events after the cursor of the query. There always is a next cursor. The total counts the events after
     * the cursor.
     */
    Slice<Event> list(ListQuery query, @Nullable EventType type, @Nullable String resourceId, @Nullable Instant since) {
        var now = now();
        var cursor = query.cursor(EventCursor::parse);
        cursor.requireValid(now, retention.plus(VALID_LONGER));
        var filters = Filters.of(type, resourceId, cursor.readUntil() == null ? start(since, now) : since);
        for (int extensions = 0; ; extensions++) {
            // Read before the page, so that the page has all events up to this position.
            var last = TenantSql.current().first(Placed::last, LAST);
            var page = page(cursor, last, filters, query.perPage());
            boolean full = page.size() == query.perPage();
            boolean complete = !full && extensions < MAX_EXTENSIONS && !order.extend();
            if (full || complete || extensions == MAX_EXTENSIONS) {
                var end = full ? Optional.of(page.getLast()) : last;
                var next = next(cursor, end, complete, now);
                return new Slice<>(events(page), total(cursor, filters), next.format());
            }
        }
    }

    /** The current time by the clock of the database. The deletion of old events uses the same clock. */
    private Instant now() {
        try {
            return clock.now();
        } catch (SQLException e) {
            throw new IllegalStateException("The time cannot be read.", e);
        }
    }

    /** A reader without a cursor gets no events that are older than the retention. They may be deleted at any time. */
    private Instant start(@Nullable Instant since, Instant now) {
        var oldest = now.minus(retention);
        return since == null || since.isBefore(oldest) ? oldest : since;
    }

    private static List<Placed> page(EventCursor cursor, Optional<Placed> last, Filters filters, int perPage) {
        if (last.isEmpty() || last.get().position() <= cursor.position()) {
            return List.of();
        }
        var values = new ArrayList<Object>(List.of(cursor.position(), last.get().position()));
        values.addAll(filters.values());
        return filters.list(Placed::read, PAGE.formatted(filters.conditions(), perPage), values);
    }

    /** @param end the position up to which all events were read */
    private static EventCursor next(EventCursor cursor, Optional<Placed> end, boolean complete, Instant now) {
        long position = end.map(Placed::position).orElse(0L);
        // The clock of the replica that wrote the last event may have been ahead.
        var readUntil = complete
                ? now
                : end.map(last -> last.createdAt().isBefore(now) ? last.createdAt() : now)
                        .orElse(cursor.readUntil());
        return new EventCursor(Math.max(position, cursor.position()), readUntil);
    }

    private static long total(EventCursor cursor, Filters filters) {
        var values = new ArrayList<Object>(List.of(cursor.position()));
        values.addAll(filters.values());
        values.addAll(filters.values());
        return filters.list(row -> row.getLong(1), COUNT.formatted(filters.conditions()), values)
                .getFirst();
    }

    private static List<Event> events(List<Placed> page) {
        return page.stream()
                .flatMap(placed -> Optional.ofNullable(placed.event()).stream())
                .toList();
    }
}
