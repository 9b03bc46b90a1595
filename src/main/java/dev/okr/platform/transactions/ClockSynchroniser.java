package dev.okr.platform.transactions;

import dev.okr.platform.time.UtcClock;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.interceptor.Interceptor;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Makes the clock of this replica follow the clock of the database. */
@ApplicationScoped
class ClockSynchroniser {
    private static final Logger LOG = Logger.getLogger(ClockSynchroniser.class);

    private static final Duration LARGE_CORRECTION = Duration.ofSeconds(1);

    private final DataSource database;
    private final DatabaseClock databaseClock;
    private final UtcClock clock;
    private final boolean serving;

    ClockSynchroniser(
            DataSource database,
            DatabaseClock databaseClock,
            UtcClock clock,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.database = database;
        this.databaseClock = databaseClock;
        this.clock = clock;
        this.serving = serving;
    }

    /** Corrects the clock before the first request. */
    void start(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE - 3) StartupEvent started) {
        if (serving) {
            synchronise();
        }
    }

    @Scheduled(every = "10s", concurrentExecution = Scheduled.ConcurrentExecution.SKIP)
    void synchronise() {
        try (var connection = database.getConnection()) {
            var sql = new Sql(connection);
            var before = clock.now();
            var correction = clock.follow(before, databaseClock.now(sql), clock.now());
            if (correction.abs().compareTo(LARGE_CORRECTION) > 0) {
                LOG.warnf(
                        "The clock of this replica was corrected by %s to match the clock of the database", correction);
            }
        } catch (SQLException e) {
            LOG.warnf("The clock of the database could not be read: %s", SqlFailures.reason(e));
        }
    }
}
