package dev.okr.operations.moving;

import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.time.Duration;

/**
 * The dead rows of the webhook queue. PostgreSQL cannot remove rows, of any organisation, that were deleted after the
 * oldest open transaction began. The webhook poller must skip them. So a long import or export ends if there are too many.
 */
@ApplicationScoped
class DeadRows {
    /** A younger transaction never ends for this reason. So a file can always be imported in small parts. */
    private static final Duration MIN_DURATION = Duration.ofMinutes(1);

    /** In a test, 500,000 dead deliveries of a busy organisation made the webhooks of others up to 1.6 s late. */
    private static final long MAX_ROWS = 250_000;

    // Reads counters of the statistics, not the tables. In a distributed schema, the coordinator's counters stay 0.
    private static final String COUNT = """
            SELECT pg_stat_get_dead_tuples('outbox'::regclass) + pg_stat_get_dead_tuples('delivery_pending'::regclass)
                + pg_stat_get_dead_tuples('delivery_lane'::regclass)
            """;

    private final AgroalDataSource database;
    private final Duration minDuration;
    private final long maxRows;

    @Inject
    DeadRows(AgroalDataSource database) {
        this(database, MIN_DURATION, MAX_ROWS);
    }

    DeadRows(AgroalDataSource database, Duration minDuration, long maxRows) {
        this.database = database;
        this.minDuration = minDuration;
        this.maxRows = maxRows;
    }

    /**
     * Whether a transaction must end because it keeps too many dead rows.
     *
     * @param age the time since the transaction began
     */
    boolean areTooMany(Duration age) {
        return age.compareTo(minDuration) >= 0 && count() > maxRows;
    }

    /** Counts in a separate transaction, because a transaction sees each counter as it first read it. */
    private long count() {
        return QuarkusTransaction.requiringNew().call(() -> {
            try (var connection = database.getConnection()) {
                return new Sql(connection).first(row -> row.getLong(1), COUNT).orElse(0L);
            }
        });
    }
}
