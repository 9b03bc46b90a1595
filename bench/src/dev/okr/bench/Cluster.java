package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A PostgreSQL server on the loopback interface, with its data in the benchmark's directory. */
final class Cluster implements AutoCloseable {
    static final String USER = "postgres";

    /** Debian's directory, unless PG_BIN names another. */
    private static final Path BINARIES = Path.of(System.getenv().getOrDefault("PG_BIN", "/usr/lib/postgresql/15/bin"));

    /** The settings for durability (fsync, synchronous_commit) keep their defaults. */
    private static final Map<String, String> SETTINGS = Map.of(
            "listen_addresses", "127.0.0.1",
            "shared_buffers", "1GB",
            "max_wal_size", "4GB",
            "shared_preload_libraries", "pg_stat_statements");

    private final Path data;
    private final Map<String, String> settings = new TreeMap<>(SETTINGS);
    private final int port = Commands.freePort();
    private final boolean kept;

    /** Makes a server whose data are deleted with the directory. */
    Cluster(Path directory) throws IOException {
        this(directory.resolve("postgres"), Map.of(), false);
        start(Map.of());
    }

    /**
     * Makes a server without starting it.
     *
     * @param data the data directory, which is created if it is missing
     * @param kept whether the data are kept for another run
     */
    Cluster(Path data, Map<String, String> moreSettings, boolean kept) throws IOException {
        this.data = data.toAbsolutePath();
        this.kept = kept;
        settings.putAll(moreSettings);
        if (Files.exists(this.data.resolve("PG_VERSION"))) {
            return;
        }
        Files.createDirectories(this.data);
        if (isRoot()) {
            // PostgreSQL does not run as root.
            Commands.run(List.of("chown", USER, this.data.toString()));
        }
        run("initdb", "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C.UTF-8", "-D", this.data.toString());
    }

    /** Starts or restarts the server, with settings for this start only. */
    void start(Map<String, String> moreSettings) {
        close();
        var all = new TreeMap<>(settings);
        all.putAll(moreSettings);
        var options = all.entrySet().stream()
                .map(setting -> "-c " + setting.getKey() + '=' + setting.getValue())
                .collect(Collectors.joining(" ", "-p " + port + " -k " + data + ' ', ""));
        run("pg_ctl", "-D", data.toString(), "-o", options, "-l", data.resolve("log").toString(), "-w", "start");
    }

    /** The command line of a PostgreSQL client program for this server. */
    List<String> client(String program, String... arguments) {
        var command = new ArrayList<>(List.of(
                BINARIES.resolve(program).toString(), "-h", "127.0.0.1", "-p", String.valueOf(port), "-U", USER));
        command.addAll(List.of(arguments));
        return command;
    }

    Path data() {
        return data;
    }

    /** Runs statements, each in its own transaction. */
    void execute(String database, String... statements) throws SQLException {
        try (var connection = connect(database);
                var statement = connection.createStatement()) {
            for (var sql : statements) {
                statement.execute(sql);
            }
        }
    }

    String url(String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
    }

    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database) + "?stringtype=unspecified", USER, "");
    }

    void createDatabase(String name, String template) throws SQLException {
        try (var connection = connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE %s TEMPLATE %s".formatted(name, template));
        }
    }

    String describe() throws SQLException {
        try (var connection = connect("postgres");
                var statement = connection.createStatement();
                var rows = statement.executeQuery("""
                        SELECT version() AS version, string_agg(name || '=' || current_setting(name), ', ') AS settings
                        FROM unnest(ARRAY ['shared_buffers', 'max_wal_size', 'fsync', 'synchronous_commit',
                            'wal_level', 'autovacuum', 'max_connections', 'shared_preload_libraries']) AS name
                        """)) {
            rows.next();
            return rows.getString("version").replaceAll(" on .*", "") + "; " + rows.getString("settings");
        }
    }

    /** The processor time of all processes of the server. */
    double cpuSeconds() throws IOException {
        var postmaster = Files.readAllLines(data.resolve("postmaster.pid")).getFirst();
        long ticks = 0;
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : processes) {
                try {
                    var stat = Files.readString(process.resolve("stat"));
                    // The process name may contain any character. The state, the parent and other fields follow it.
                    var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                    boolean itself = process.endsWith(postmaster);
                    if (itself || fields[1].equals(postmaster)) {
                        ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
                    }
                    if (itself) {
                        // The processor time of children that have ended.
                        ticks += Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
                    }
                } catch (IOException ended) {
                    // The process ended between listing and reading.
                }
            }
        }
        return ticks / 100.0;
    }

    @Override
    public void close() {
        if (Files.notExists(data.resolve("postmaster.pid"))) {
            return;
        }
        run("pg_ctl", "-D", data.toString(), "-m", kept ? "fast" : "immediate", "-t", "300", "-w", "stop");
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static void run(String program, String... arguments) {
        var command = new ArrayList<String>();
        if (isRoot()) {
            command.addAll(List.of("runuser", "-u", USER, "--"));
        }
        command.add(BINARIES.resolve(program).toString());
        command.addAll(List.of(arguments));
        if (arguments[arguments.length - 1].equals("start")) {
            start(command);
        } else {
            Commands.run(command);
        }
    }

    /** Does not use a pipe, because the server would keep it open. */
    private static void start(List<String> command) {
        try {
            var process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("PostgreSQL did not start: " + String.join(" ", command));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("PostgreSQL did not start", e);
        }
    }
}
