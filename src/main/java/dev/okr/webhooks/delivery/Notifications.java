package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.SqlFailures;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.security.SimplePassword;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGConnection;

/**
 * Wakes other replicas with PostgreSQL's LISTEN and NOTIFY. Commits that notify wait for one another in the database.
 * Therefore only a replica that has queued deliveries notifies the others, at most five times a second. It ignores its
 * own notifications.
 */
@ApplicationScoped
class Notifications {
    private static final Logger LOG = Logger.getLogger(Notifications.class);

    private static final String CHANNEL = "okr_deliveries";
    private static final Duration BETWEEN_NOTIFICATIONS = Duration.ofMillis(200);
    private static final Duration RECONNECT_DELAY = Duration.ofSeconds(1);

    /** After this time without a notification, the connection is validated. */
    private static final Duration MAX_SILENCE = Duration.ofSeconds(10);

    private static final int CONNECT_TIMEOUT_SECONDS = 2;
    private static final int ANSWER_TIMEOUT_SECONDS = 15;
    private static final int VALIDATION_TIMEOUT_SECONDS = 2;

    private final AgroalDataSource database;
    private final boolean enabled;
    /** Distinguishes this replica's notifications from those of others. */
    private final String replica = UUID.randomUUID().toString();

    private final AtomicLong lastSentNanos = new AtomicLong(System.nanoTime() - BETWEEN_NOTIFICATIONS.toNanos());
    private volatile boolean stopping;
    private @Nullable Thread thread;

    Notifications(AgroalDataSource database, DeliverySettings settings) {
        this.database = database;
        this.enabled = settings.notifications();
    }

    /** @param wake called when another replica has queued deliveries, and when notifications may have been missed */
    void start(Runnable wake) {
        if (enabled) {
            thread = Thread.ofPlatform()
                    .daemon()
                    .name("okr-webhook-notifications")
                    .start(() -> listenUntilStopped(wake));
        }
    }

    void stop() {
        stopping = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Wakes the other replicas, unless it did so within {@link #BETWEEN_NOTIFICATIONS}. */
    void send() throws SQLException {
        long now = System.nanoTime();
        long last = lastSentNanos.get();
        if (!enabled || now - last < BETWEEN_NOTIFICATIONS.toNanos() || !lastSentNanos.compareAndSet(last, now)) {
            return;
        }
        try (var connection = database.getConnection();
                var notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, CHANNEL);
            notify.setString(2, replica);
            notify.execute();
        }
    }

    private void listenUntilStopped(Runnable wake) {
        while (!stopping) {
            try (var connection = connect()) {
                try (var listen = connection.createStatement()) {
                    listen.execute("LISTEN " + CHANNEL);
                }
                wake.run();
                listen(connection, wake);
            } catch (SQLException e) {
                if (!stopping) {
                    LOG.debugf(
                            "Listening for notifications failed. Polling continues on schedule: %s",
                            SqlFailures.reason(e));
                    pause();
                }
            }
        }
    }

    private void listen(Connection connection, Runnable wake) throws SQLException {
        var postgres = connection.unwrap(PGConnection.class);
        while (!stopping) {
            var notifications = postgres.getNotifications(Math.toIntExact(MAX_SILENCE.toMillis()));
            if (notifications == null || notifications.length == 0) {
                if (!connection.isValid(VALIDATION_TIMEOUT_SECONDS)) {
                    throw new SQLException("The connection is not valid.");
                }
                continue;
            }
            for (var notification : notifications) {
                if (!notification.getParameter().equals(replica)) {
                    wake.run();
                    break;
                }
            }
        }
    }

    /** Opens a connection outside the pool, with the pool's address and credentials, because it stays open. */
    private Connection connect() throws SQLException {
        var factory = database.getConfiguration().connectionPoolConfiguration().connectionFactoryConfiguration();
        var properties = new Properties();
        properties.putAll(factory.jdbcProperties());
        if (factory.principal() != null) {
            properties.setProperty("user", factory.principal().getName());
        }
        for (var credential : factory.credentials()) {
            if (credential instanceof SimplePassword password) {
                properties.setProperty("password", password.getWord());
            }
        }
        // The pool's socket factory would close the socket during a long wait for notifications.
        properties.remove("socketFactory");
        properties.remove("socketFactoryArg");
        properties.setProperty("connectTimeout", String.valueOf(CONNECT_TIMEOUT_SECONDS));
        properties.setProperty("socketTimeout", String.valueOf(ANSWER_TIMEOUT_SECONDS));
        var connection = new Driver().connect(factory.jdbcUrl(), properties);
        if (connection == null) {
            throw new SQLException("The JDBC URL is not a PostgreSQL URL.");
        }
        return connection;
    }

    private static void pause() {
        try {
            Thread.sleep(RECONNECT_DELAY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
