package dev.okr.webhooks.delivery;

import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import dev.okr.webhooks.delivery.DeliveryQueue.ClaimRequest;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalPropertiesReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** Measures the statements of the service's queue. */
public final class QueueProbe implements AutoCloseable {
    private static final int MAX_ENDPOINTS = 512;
    private static final Duration LEASE = Duration.ofSeconds(25);

    private final AgroalDataSource database;
    private final DeliveryQueue queue;

    /** Opens one connection with the settings of the service. */
    public QueueProbe(String url, String user) throws SQLException {
        database = AgroalDataSource.from(new AgroalPropertiesReader()
                .readProperties(Map.of(
                        AgroalPropertiesReader.MAX_SIZE,
                        "1",
                        AgroalPropertiesReader.JDBC_URL,
                        url,
                        AgroalPropertiesReader.PRINCIPAL,
                        user,
                        AgroalPropertiesReader.INITIAL_SQL,
                        newConnectionSql(),
                        AgroalPropertiesReader.JDBC_PROPERTIES,
                        "stringtype=unspecified")));
        queue = new DeliveryQueue();
    }

    /**
     * The duration of each step of a poll.
     *
     * @param findNanos finding endpoint queues with ready deliveries
     * @param claimNanos claiming deliveries of each
     * @param promoteNanos promoting due deliveries
     */
    public record Measurement(long findNanos, long claimNanos, long promoteNanos, List<UUID> claimed) {}

    public Measurement run(int deliveriesPerEndpoint) throws SQLException {
        var measured = QueueTransaction.run(database, sql -> run(sql, deliveriesPerEndpoint));
        long start = System.nanoTime();
        QueueTransaction.run(database, sql -> queue.promote(sql, Instant.now()));
        return new Measurement(measured.findNanos(), measured.claimNanos(), System.nanoTime() - start, measured.claimed());
    }

    private Measurement run(Sql sql, int deliveriesPerEndpoint) throws SQLException {
        long start = System.nanoTime();
        var endpoints = queue.endpointQueues(sql, EndpointQueue.FIRST, MAX_ENDPOINTS);
        long found = System.nanoTime();
        var requests =
                endpoints.stream().map(endpoint -> new ClaimRequest(endpoint, deliveriesPerEndpoint)).toList();
        var now = Instant.now();
        long claiming = System.nanoTime();
        var claimed = queue.claim(sql, requests, MonotonicClock.now(), now, now.plus(LEASE));
        long ended = System.nanoTime();
        return new Measurement(
                found - start,
                ended - claiming,
                0,
                claimed.stream().map(ClaimedDelivery::id).toList());
    }

    /** The SQL that the service runs on each new connection. */
    private static String newConnectionSql() {
        try (var properties = QueueProbe.class.getResourceAsStream("/application.properties")) {
            var known = new Properties();
            known.load(properties);
            return System.getenv()
                    .getOrDefault(
                            "QUARKUS_DATASOURCE_JDBC_NEW_CONNECTION_SQL",
                            known.getProperty("quarkus.datasource.jdbc.new-connection-sql", "SELECT 1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
