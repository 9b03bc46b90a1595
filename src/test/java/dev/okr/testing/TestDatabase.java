package dev.okr.testing;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The database of the tests over HTTP. By default it is an embedded PostgreSQL. The application in the test's JVM and
 * the packaged one both use it. {@code -Dokr.test.jdbc-url=…}, with {@code -Dokr.test.jdbc-username} and
 * {@code -Dokr.test.jdbc-password}, selects another server. The tests then use their own schema there, which is dropped
 * at the end. {@code -Dokr.test.citus=true} also distributes the tables of that schema.
 */
public final class TestDatabase implements QuarkusTestResourceLifecycleManager {
    private static final String OTHER_URL = "okr.test.jdbc-url";
    private static final String OTHER_USERNAME = "okr.test.jdbc-username";
    private static final String OTHER_PASSWORD = "okr.test.jdbc-password";

    /** Whether the other server is a Citus coordinator, whose tables are to be distributed. */
    private static final boolean IS_CITUS = Boolean.getBoolean("okr.test.citus");

    // A system property, because Quarkus loads test classes in several class loaders.
    private static final String RUNNING_URL = "okr.test.running.jdbc-url";
    private static final String RUNNING_USERNAME = "okr.test.running.jdbc-username";
    private static final String RUNNING_PASSWORD = "okr.test.running.jdbc-password";

    /** Encrypts the secrets of the tests. */
    public static final String ENCRYPTION_KEY = Base64.getEncoder().encodeToString(new byte[32]);

    /** Few shards, because each one costs time. More than one for each worker. */
    private static final int TEST_SHARDS = 8;

    // PostgreSQL's error code if a concurrent transaction has moved the row to another partition.
    private static final String SERIALIZATION_FAILURE = "40001";

    private static Connection connection;
    private static String connectedTo;

    private AutoCloseable running = () -> {};

    @Override
    public Map<String, String> start() {
        LookupRecording.restart();
        if (System.getProperty(OTHER_URL, "").isBlank()) {
            startEmbedded();
        } else if (!IS_CITUS || jdbcUrl() == null) {
            createSchema();
        }
        return Map.ofEntries(
                Map.entry("quarkus.datasource.jdbc.url", jdbcUrl()),
                Map.entry("quarkus.datasource.username", username()),
                Map.entry("quarkus.datasource.password", password()),
                Map.entry("okr.encryption-key", ENCRYPTION_KEY),
                Map.entry("okr.webhooks.allow-http", "true"),
                Map.entry("okr.webhooks.allowed-networks", "127.0.0.1/32,::1/128"),
                Map.entry("okr.webhooks.retry-schedule", "PT0.2S,PT0.4S,PT0.6S"),
                Map.entry("okr.webhooks.request-timeout", "PT3S"),
                // Each run visits every organisation of the tests.
                Map.entry("okr.webhooks.prune-every", "10s"),
                Map.entry("okr.rate-limit.requests-per-minute", "0"),
                Map.entry("okr.rate-limit.megabytes-per-hour", "0"),
                Map.entry("okr.rate-limit.failed-authentications-per-minute", "0"),
                Map.entry("okr.cycles.move-every", "1s"),
                Map.entry("okr.idempotency.prune-every", "1s"),
                Map.entry("okr.deleted-objectives.prune-every", "1s"),
                Map.entry("okr.imports.poll-every", "1s"),
                Map.entry("okr.demo", "false"),
                Map.entry("quarkus.shutdown.delay", "0s"),
                // The provider for tests does not report whether an address is verified.
                Map.entry("okr.console.require-verified-email", "false"),
                // Tests cause hundreds of failed deliveries.
                Map.entry("quarkus.log.category.\"dev.okr.webhooks.delivery\".level", "ERROR"),
                Map.entry("quarkus.log.console.level", "WARN"));
    }

    @Override
    public void stop() {
        try {
            running.close();
        } catch (Exception e) {
            throw new IllegalStateException("The database of the tests does not stop.", e);
        }
    }

    public static String jdbcUrl() {
        return System.getProperty(RUNNING_URL);
    }

    public static String username() {
        return System.getProperty(RUNNING_USERNAME);
    }

    public static String password() {
        return System.getProperty(RUNNING_PASSWORD);
    }

    /** Executes a statement that sets values the API cannot set. Retries after a conflict with the running service. */
    public static synchronized int execute(String sql, Object... parameters) {
        for (int triesLeft = 10; ; triesLeft--) {
            try (var statement = prepare(sql, parameters)) {
                return statement.executeUpdate();
            } catch (SQLException e) {
                if (triesLeft == 0 || !SERIALIZATION_FAILURE.equals(e.getSQLState())) {
                    throw new IllegalStateException(sql, e);
                }
            }
        }
    }

    /** Whether the tables are distributed over several servers. */
    public static boolean isDistributed() {
        return IS_CITUS;
    }

    /** A time with an interval added. A distributed schema does not accept the operator for a time with time zone. */
    public static String shifted(String column, String interval) {
        return "((" + column + " AT TIME ZONE 'UTC' " + interval + ") AT TIME ZONE 'UTC')";
    }

    /** The single number that a query returns. */
    public static synchronized long count(String sql, Object... parameters) {
        try (var statement = prepare(sql, parameters);
                var rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** A new connection, for a transaction that other statements wait for. */
    public static Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), username(), password());
    }

    private static PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
        // After a failed test, Quarkus restarts with another database.
        if (connection == null || !jdbcUrl().equals(connectedTo) || !connection.isValid(1)) {
            connection = connect();
            connectedTo = jdbcUrl();
            if (IS_CITUS) {
                // The triggers of tests use only the row that fires them.
                administer(connection, "SET citus.enable_unsafe_triggers = on");
            }
        }
        var statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            var parameter = parameters[i];
            statement.setObject(
                    i + 1, parameter instanceof String[] texts ? connection.createArrayOf("text", texts) : parameter);
        }
        return statement;
    }

    private void startEmbedded() {
        Logger.getLogger(EmbeddedPostgres.class.getName()).setLevel(Level.WARNING);
        try {
            var postgres = EmbeddedPostgres.start();
            running = postgres;
            publish(postgres.getJdbcUrl("postgres", "postgres"), "postgres", "");
        } catch (IOException e) {
            throw new IllegalStateException("The embedded PostgreSQL does not start.", e);
        }
    }

    private void createSchema() {
        var url = System.getProperty(OTHER_URL);
        var username = System.getProperty(OTHER_USERNAME, "postgres");
        var password = System.getProperty(OTHER_PASSWORD, "");
        var schema = "okr_test_" + UUID.randomUUID().toString().replace("-", "");
        administer(url, username, password, "CREATE SCHEMA " + schema);
        var drop = "DROP SCHEMA " + schema + " CASCADE";
        publish(url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema, username, password);
        if (!IS_CITUS) {
            running = () -> administer(url, username, password, drop);
            return;
        }
        // Distribution takes long, so all starts of the application use one schema.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> administer(url, username, password, drop)));
        command("schema", "migrate");
        command("schema", "distribute", "--shards=" + TEST_SHARDS);
    }

    private static void command(String... arguments) {
        var environment = Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                username(),
                "QUARKUS_DATASOURCE_PASSWORD",
                password());
        var outcome = CommandProcess.run(environment, arguments);
        if (outcome.exitCode() != 0) {
            throw new IllegalStateException(outcome.errors());
        }
    }

    private static void publish(String url, String username, String password) {
        System.setProperty(RUNNING_URL, url);
        System.setProperty(RUNNING_USERNAME, username);
        System.setProperty(RUNNING_PASSWORD, password);
    }

    private static void administer(String url, String username, String password, String sql) {
        try (var connection = DriverManager.getConnection(url, username, password)) {
            administer(connection, sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static void administer(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
