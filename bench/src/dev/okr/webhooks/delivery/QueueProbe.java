package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.DatabaseClock;
import dev.okr.platform.transactions.OrganizationSearch;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalPropertiesReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** Measures how the service finds lanes and claims deliveries. */
public final class QueueProbe implements AutoCloseable {
    private static final int MAX_ENDPOINTS = 512;
    private static final int FAIR_FRACTION = 64;
    private static final Duration LEASE = Duration.ofSeconds(25);

    private final AgroalDataSource pool;
    private final Visits visits;

    /** Opens one connection with the settings of the service. */
    public QueueProbe(String url, String user) throws SQLException {
        pool = AgroalDataSource.from(new AgroalPropertiesReader()
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
        var clock = new UtcClock();
        var database = new QueueDatabase(pool, new DatabaseClock(pool, clock), new OrganizationSearch(pool));
        visits = new Visits(database, new FanOut(database, clock), new Claims(database, LEASE));
    }

    /**
     * The duration of each step of a poll.
     *
     * @param findNanos finding due lanes
     * @param claimNanos claiming deliveries of each and setting when the lanes are due again
     */
    public record Measurement(long findNanos, long claimNanos, List<UUID> claimed) {}

    public Measurement run(int deliveriesPerEndpoint) throws SQLException {
        var slots = new Slots(MAX_ENDPOINTS * deliveriesPerEndpoint * FAIR_FRACTION, deliveriesPerEndpoint);
        long start = System.nanoTime();
        var work = visits.find(OrganizationSearch.FIRST, List.of(), List.of(), slots).work();
        long found = System.nanoTime();
        var claimed = new ArrayList<UUID>();
        for (var each : work) {
            visits.visit(each, true, slots).claimed().forEach(attempt -> claimed.add(attempt.deliveryId()));
        }
        return new Measurement(found - start, System.nanoTime() - found, claimed);
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
        pool.close();
    }
}
