package dev.okr.webhooks.delivery;

import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import dev.okr.webhooks.delivery.DeliveryQueue.Share;
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

/** Asks the service's own queue, with its own statements, how long they take. */
public final class QueueProbe implements AutoCloseable {
    private static final int MAX_LANES = 512;
    private static final Duration LEASE = Duration.ofSeconds(25);

    private final AgroalDataSource database;
    private final DeliveryQueue queue;

    /** One connection, kept, with the settings of the service. */
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
     * What one round of the dispatcher asks of the queue.
     *
     * @param lanesNanos finding which webhooks have something ready
     * @param claimNanos claiming a share of each
     * @param promoteNanos looking for what has become due
     */
    public record PollResult(long lanesNanos, long claimNanos, long promoteNanos, List<UUID> claimed) {}

    public PollResult run(int deliveriesPerLane) throws SQLException {
        var round = QueueTransaction.run(database, sql -> run(sql, deliveriesPerLane));
        long start = System.nanoTime();
        QueueTransaction.run(database, sql -> queue.promote(sql, Instant.now()));
        return new PollResult(round.lanesNanos(), round.claimNanos(), System.nanoTime() - start, round.claimed());
    }

    private PollResult run(Sql sql, int deliveriesPerLane) throws SQLException {
        long start = System.nanoTime();
        var lanes = queue.lanes(sql, EndpointQueue.FIRST, MAX_LANES);
        long found = System.nanoTime();
        var shares =
                lanes.stream().map(lane -> new Share(lane, deliveriesPerLane)).toList();
        var now = Instant.now();
        long claiming = System.nanoTime();
        var claimed = queue.claim(sql, shares, MonotonicClock.now(), now, now.plus(LEASE));
        long ended = System.nanoTime();
        return new PollResult(
                found - start,
                ended - claiming,
                0,
                claimed.stream().map(ClaimedDelivery::id).toList());
    }

    /** What the service says to each new connection, by the environment or by its own properties. */
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
