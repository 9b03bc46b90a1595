package dev.okr.testing;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A durable PostgreSQL for one test, which can be killed and restarted. */
public final class CrashableDatabase implements AutoCloseable {
    public static final String USERNAME = "postgres";

    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final int PAUSE_MILLIS = 100;

    private final Path data;
    private final int port;
    private EmbeddedPostgres server;

    private CrashableDatabase(Path data, int port) throws IOException {
        this.data = data;
        this.port = port;
        this.server = startServer();
    }

    /** @param folder the folder for the data */
    public static CrashableDatabase start(Path folder) {
        // Stopping a killed server logs a long error.
        Logger.getLogger(EmbeddedPostgres.class.getName()).setLevel(Level.OFF);
        try {
            return new CrashableDatabase(folder.resolve("data"), FreePort.find());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String jdbcUrl() {
        return server.getJdbcUrl(USERNAME, "postgres");
    }

    /**
     * The settings of a service on this database, which may send webhooks to this machine. The caller may change them.
     *
     * @param folder the folder of an {@link OrganizationFile}
     */
    public Map<String, String> serviceSettings(Path folder) {
        return new HashMap<>(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                USERNAME,
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY,
                "OKR_BOOTSTRAP_FILE",
                OrganizationFile.in(folder).toString(),
                "OKR_WEBHOOKS_ALLOW_HTTP",
                "true",
                "OKR_WEBHOOKS_ALLOWED_NETWORKS",
                "127.0.0.1/32"));
    }

    /** Executes a statement. */
    public void run(String query) {
        try (var connection = DriverManager.getConnection(jdbcUrl());
                var statement = connection.createStatement()) {
            statement.execute(query);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** The first column of a query's result, as text. */
    public List<String> column(String query) {
        try (var connection = DriverManager.getConnection(jdbcUrl());
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            var column = new ArrayList<String>();
            while (rows.next()) {
                column.add(rows.getString(1));
            }
            return column;
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** Kills the server and waits until all its processes have ended. */
    public void kill() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).getFirst());
        var postmaster = ProcessHandle.of(pid).orElseThrow();
        var children = postmaster.descendants().toList();
        postmaster.destroyForcibly();
        var deadline = Instant.now().plus(MAX_WAIT);
        while (postmaster.isAlive() || children.stream().anyMatch(ProcessHandle::isAlive)) {
            pauseUntil(deadline, "the database does not die");
        }
        server.close();
    }

    /** Restarts the server with the same data and port. */
    public void restart() {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (true) {
            try {
                server = startServer();
                return;
            } catch (IOException | IllegalStateException e) {
                // The system releases the port of the killed server after a moment.
                pauseUntil(deadline, "the database does not start again");
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private EmbeddedPostgres startServer() throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setPort(port)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setPGStartupWait(MAX_WAIT)
                .start();
    }

    private static void pauseUntil(Instant deadline, String complaint) {
        if (Instant.now().isAfter(deadline)) {
            throw new IllegalStateException(complaint);
        }
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
