package dev.okr.operations.database;

import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.arc.Unremovable;
import io.quarkus.flyway.FlywayConfigurationCustomizer;
import io.quarkus.runtime.util.ExceptionUtil;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jboss.logging.Logger;

/**
 * Waits at a start of the service until a busy or unreachable database accepts connections. Flyway's own retries would
 * also repeat a wrong password. After the wait, Flyway reports a remaining problem.
 */
@ApplicationScoped
@Unremovable
public class DatabaseWait implements FlywayConfigurationCustomizer {
    private static final Logger LOG = Logger.getLogger(DatabaseWait.class);
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(500);

    private static final List<String> TEMPORARY_STATES = List.of(
            "53300", // too_many_connections
            "57P01", // admin_shutdown
            "57P02", // crash_shutdown
            "57P03"); // cannot_connect_now, such as during a recovery

    private final boolean serving;

    DatabaseWait(@ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.serving = serving;
    }

    /** Quarkus calls this before the first use of the database. */
    @Override
    public void customize(FluentConfiguration configuration) {
        if (serving) {
            await(configuration.getDataSource(), MAX_WAIT);
        }
    }

    /** Returns when the database accepts a connection or fails permanently, or when the maximum wait is over. */
    static void await(DataSource database, Duration maxWait) {
        long deadlineNanos = System.nanoTime() + maxWait.toNanos();
        boolean logged = false;
        while (true) {
            try (var connection = database.getConnection()) {
                return;
            } catch (SQLException e) {
                if (!isTemporary(e) || System.nanoTime() >= deadlineNanos) {
                    return;
                }
                if (!logged) {
                    LOG.warnf(
                            "The database cannot be used yet. The start retries for up to %d s: %s",
                            maxWait.toSeconds(), SqlFailures.reason(e));
                    logged = true;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    /** An unknown host or a wrong password is permanent. So is a server that accepts no writes. */
    static boolean isTemporary(SQLException failure) {
        var state = failure.getSQLState();
        if (state == null) {
            return SqlFailures.isUnavailable(failure);
        }
        var root = ExceptionUtil.getRootCause(failure);
        return TEMPORARY_STATES.contains(state)
                || (state.startsWith("08") && root instanceof IOException && !(root instanceof UnknownHostException));
    }
}
