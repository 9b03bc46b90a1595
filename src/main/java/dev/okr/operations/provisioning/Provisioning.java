package dev.okr.operations.provisioning;

import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.runtime.configuration.ConfigurationException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.interceptor.Interceptor;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Applies the organisation file at a start of the service, after the schema migration and before the HTTP server
 * starts. So the service is ready only after its organisations exist.
 */
@ApplicationScoped
public class Provisioning {
    private static final Logger LOG = Logger.getLogger(Provisioning.class);

    /** An arbitrary number for the advisory lock. */
    private static final long LOCK = 0x6F6B722D66696C65L;

    private static final Duration MAX_WAIT_FOR_OTHERS = Duration.ofMinutes(2);
    private static final Duration PAUSE_BETWEEN_ATTEMPTS = Duration.ofMillis(200);

    private final Optional<String> path;
    private final AgroalDataSource database;
    private final UtcClock clock;
    private final ChangeEvents events;

    Provisioning(
            @ConfigProperty(name = "okr.bootstrap.file") Optional<String> path,
            AgroalDataSource database,
            UtcClock clock,
            ChangeEvents events) {
        this.path = path.filter(text -> !text.isBlank());
        this.database = database;
        this.clock = clock;
        this.events = events;
    }

    /** Runs before the scheduler starts, so that no job fails when an invalid file stops the start. */
    void start(@Observes @Priority(Interceptor.Priority.PLATFORM_BEFORE - 1) StartupEvent started) {
        path.map(Path::of).ifPresent(this::apply);
    }

    private void apply(Path file) {
        var name = String.valueOf(file.getFileName());
        try {
            int writes = write(database, OrganizationFileParser.parse(file), name, clock.now(), events);
            LOG.infof("%s was applied. Rows written: %d", name, writes);
        } catch (InvalidOrganizationFile e) {
            throw new ConfigurationException(e.reasons());
        } catch (IOException e) {
            throw new ConfigurationException("OKR_BOOTSTRAP_FILE cannot be read: " + e);
        } catch (SQLException e) {
            throw new IllegalStateException(name + " could not be written to the database", e);
        }
    }

    /** Applies the whole file in one transaction. It is repeated if it waits too long for a lock, or after a conflict. */
    static int write(DataSource database, OrganizationFile file, String name, Instant now, ChangeEvents events)
            throws SQLException, InvalidOrganizationFile {
        var deadline = System.nanoTime() + MAX_WAIT_FOR_OTHERS.toNanos();
        while (true) {
            try {
                return writeOnce(database, file, name, now, events);
            } catch (SQLException e) {
                boolean isRepeatable = SqlFailures.isLockTimeout(e) || SqlFailures.isConflict(e);
                if (!isRepeatable || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LOG.warnf("%s is applied again: %s", name, SqlFailures.reason(e));
                LockSupport.parkNanos(PAUSE_BETWEEN_ATTEMPTS.toNanos());
            }
        }
    }

    private static int writeOnce(
            DataSource database, OrganizationFile file, String name, Instant now, ChangeEvents events)
            throws SQLException, InvalidOrganizationFile {
        return Sql.transaction(database, sql -> {
            lock(sql);
            var errors = new FileErrors();
            int writes = new Provisioner(sql, now, errors, events).apply(file);
            errors.throwIfAny(name);
            return writes;
        });
    }

    /**
     * Waits for other replicas. The lock belongs to the transaction, because a pooler may share the session. A blocking
     * wait would exceed the socket timeout, so the lock is polled.
     */
    private static void lock(Sql sql) throws SQLException {
        var deadline = System.nanoTime() + MAX_WAIT_FOR_OTHERS.toNanos();
        while (!sql.first(row -> row.getBoolean(1), "SELECT pg_try_advisory_xact_lock(?)", LOCK)
                .orElseThrow()) {
            if (System.nanoTime() > deadline) {
                throw new ConfigurationException(
                        "Another replica has been applying its organisation file for more than two minutes.");
            }
            LockSupport.parkNanos(PAUSE_BETWEEN_ATTEMPTS.toNanos());
        }
    }
}
