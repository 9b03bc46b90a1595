package dev.okr.platform.transactions;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.quarkus.scheduler.Scheduled;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jboss.logging.Logger;

/** Measures the size of the database. In a distributed schema, this is only the coordinator. */
@Singleton
class DatabaseSize implements MeterBinder {
    private static final Logger LOG = Logger.getLogger(DatabaseSize.class);
    private static final String SIZE = "SELECT pg_database_size(current_database()) AS bytes";

    private final DataSource database;

    /** Not a number until the first measurement. With 0, the database would seem to grow after a restart. */
    private volatile double bytes = Double.NaN;

    DatabaseSize(DataSource database) {
        this.database = database;
    }

    @Override
    public void bindTo(MeterRegistry metrics) {
        Gauge.builder("okr.database.size.bytes", this, size -> size.bytes)
                .description("The size of the database")
                .register(metrics);
    }

    @Scheduled(every = "1m", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void measure() {
        try (var connection = database.getConnection()) {
            bytes = new Sql(connection).first(row -> row.getLong("bytes"), SIZE).orElseThrow();
        } catch (SQLException e) {
            // With the old value, the database would seem not to grow.
            bytes = Double.NaN;
            LOG.warnf("The size of the database was not measured. The next run tries again: %s", SqlFailures.reason(e));
        }
    }
}
