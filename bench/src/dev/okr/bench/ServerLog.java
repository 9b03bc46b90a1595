package dev.okr.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the server's log of the service's statements. Marks, which are statements of the benchmark, separate the
 * requests. The log is in chronological order.
 */
final class ServerLog implements AutoCloseable {
    /** The settings that the server must be started with. */
    static final Map<String, String> SETTINGS = Map.of(
            "logging_collector", "on",
            "log_destination", "jsonlog",
            "log_directory", "log.d",
            "log_filename", "server.log",
            "log_rotation_age", "0",
            "log_rotation_size", "0");

    private static final String APPLICATION = "okr-service";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_WAITS = 200;
    private static final double SECONDS_TO_WAIT = 0.05;

    private final Path file;
    private final Connection connection;
    private long position;
    private int marks;

    /**
     * Starts logging.
     *
     * @param settings what the server logs
     */
    ServerLog(Cluster cluster, Map<String, String> settings) throws SQLException, IOException {
        file = cluster.data().resolve("log.d/server.json");
        connection = cluster.connect("postgres");
        var statements = new ArrayList<String>();
        settings.forEach((name, value) -> statements.add("ALTER SYSTEM SET %s = '%s'".formatted(name, value)));
        statements.add("SELECT pg_reload_conf()");
        for (var statement : statements) {
            execute(statement);
        }
        execute("SET log_statement = 'all'");
        Commands.sleep(0.5);
        position = Files.exists(file) ? Files.size(file) : 0;
    }

    record Line(String message, String detail, String session) {}

    /** Sets a mark for {@link #readTo}. */
    int mark() throws SQLException {
        int mark = ++marks;
        execute("SELECT 'mark " + mark + "'");
        return mark;
    }

    /** The statements of the service's sessions between the previous mark and this one. */
    List<Line> readTo(int mark) throws IOException {
        var lines = new ArrayList<Line>();
        for (int i = 0; i < MAX_WAITS; i++) {
            for (var line = next(); line != null; line = next()) {
                var message = line.path("message").asText();
                if (message.contains("SELECT 'mark " + mark + "'")) {
                    return lines;
                }
                if (line.path("application_name").asText().equals(APPLICATION)) {
                    lines.add(new Line(
                            message,
                            line.path("detail").asText(),
                            line.path("session_id").asText()));
                }
            }
            Commands.sleep(SECONDS_TO_WAIT);
        }
        throw new IllegalStateException("the server's log does not contain mark " + mark);
    }

    @Override
    public void close() throws SQLException {
        execute("ALTER SYSTEM RESET ALL");
        execute("SELECT pg_reload_conf()");
        connection.close();
    }

    private byte[] buffer = new byte[0];
    private int at;

    private JsonNode next() throws IOException {
        for (int end = at; ; end++) {
            if (end == buffer.length) {
                var more = more();
                if (more.length == 0) {
                    return null;
                }
                var rest = new byte[buffer.length - at + more.length];
                System.arraycopy(buffer, at, rest, 0, buffer.length - at);
                System.arraycopy(more, 0, rest, buffer.length - at, more.length);
                end -= at;
                buffer = rest;
                at = 0;
            }
            if (buffer[end] == '\n') {
                var line = new String(buffer, at, end - at, StandardCharsets.UTF_8);
                at = end + 1;
                return JSON.readTree(line);
            }
        }
    }

    private byte[] more() throws IOException {
        if (Files.notExists(file)) {
            return new byte[0];
        }
        try (var input = new RandomAccessFile(file.toFile(), "r")) {
            var bytes = new byte[(int) Math.min(input.length() - position, 1 << 20)];
            input.seek(position);
            input.readFully(bytes);
            position += bytes.length;
            return bytes;
        }
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
