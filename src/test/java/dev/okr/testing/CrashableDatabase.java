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
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A PostgreSQL of a test's own that keeps what it has acknowledged, can be killed, and started again. */
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

    /** @param folder a place for the data */
    public static CrashableDatabase start(Path folder) {
        // It reports at length that it cannot stop what was killed.
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

    /** Runs a query for its effect. */
    public void run(String query) {
        try (var connection = DriverManager.getConnection(jdbcUrl());
                var statement = connection.createStatement()) {
            statement.execute(query);
        } catch (SQLException e) {
            throw new IllegalStateException(query, e);
        }
    }

    /** The first column of what a query answers, as text. */
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

    /** Ends the server without a chance to put anything in order, and waits until all of it is gone. */
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

    /** Starts it again, on the same data and the same port. */
    public void restart() {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (true) {
            try {
                server = startServer();
                return;
            } catch (IOException | IllegalStateException e) {
                // What the killed server held may take a moment to be freed.
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
