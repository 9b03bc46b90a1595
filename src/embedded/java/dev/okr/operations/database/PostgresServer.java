package dev.okr.operations.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;

/** A PostgreSQL server on the data of a folder. */
final class PostgresServer {
    private static final Logger LOG = Logger.getLogger(PostgresServer.class);

    /** Another program may take the port first, and the resources of a killed server are freed with a delay. */
    private static final int MAX_START_ATTEMPTS = 5;

    private static final int PAUSE_BETWEEN_ATTEMPTS_MILLIS = 500;
    private static final int MAX_WAIT_SECONDS = 60;
    private static final int MAX_LOG_LINES_SHOWN = 5;

    /** Temporary data need no durability. */
    private static final List<String> TEMPORARY_SETTINGS =
            List.of("fsync=off", "synchronous_commit=off", "full_page_writes=off");

    /**
     * Stops the server when the process that started it ends. That process holds the standard input of this script
     * open, so the input ends even if the process is killed. A shutdown hook would stop the server too early, while
     * requests are still running. The script ignores signals, because a terminal sends them to all of its programs.
     */
    private static final String WATCHDOG = """
            pid=$1 data=$2 temporary=$3
            trap '' HUP INT QUIT TERM
            read -r forever
            if [ "$(head -n 1 "$data/postmaster.pid")" = "$pid" ]; then
                kill -INT "$pid"
                while [ -e "$data/postmaster.pid" ] && kill -0 "$pid"; do sleep 0.1; done
            fi
            if [ -n "$temporary" ]; then rm -rf -- "$temporary"; fi
            """;

    private final DataFolder folder;
    private final PostgresPrograms programs;

    PostgresServer(DataFolder folder, PostgresPrograms programs) {
        this.folder = folder;
        this.programs = programs;
    }

    /** Starts the server and returns its port. The first start creates the data. */
    int start() throws IOException {
        if (Files.exists(folder.data())) {
            endPreviousServer();
        } else {
            createData();
        }
        Files.deleteIfExists(folder.log());
        for (int attempt = 1; ; attempt++) {
            int port = freePort();
            if (startAt(port)) {
                return port;
            }
            if (attempt == MAX_START_ATTEMPTS) {
                throw new StartRefused("The embedded PostgreSQL does not start:\n" + endOfLog());
            }
            pause();
        }
    }

    /** Starts the watchdog process. */
    Process stopWithThisProcess() throws IOException {
        var postmaster = postmaster().orElseThrow(() -> new IOException("PostgreSQL stopped right after its start."));
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        WATCHDOG,
                        "okr-embedded-database",
                        Long.toString(postmaster.pid()),
                        folder.data().toString(),
                        folder.isTemporary() ? folder.path().toString() : "")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Creates the data under another name and then renames the folder, so that incomplete data are never used. */
    private void createData() throws IOException {
        var draft = folder.path().resolve("postgresql.new");
        DataFolder.deleteAll(draft);
        var arguments = new ArrayList<>(List.of(
                "--pgdata=" + draft,
                "--username=" + EmbeddedDatabase.USERNAME,
                "--pwfile=" + folder.passwordFile(),
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8"));
        if (folder.isTemporary()) {
            arguments.add("--no-sync");
        }
        folder.password();
        var result = programs.run("initdb", arguments);
        if (!result.succeeded()) {
            throw new StartRefused("The embedded PostgreSQL cannot be set up:\n" + result.output());
        }
        Files.move(draft, folder.data(), StandardCopyOption.ATOMIC_MOVE);
    }

    private boolean startAt(int port) throws IOException {
        var settings = new ArrayList<>(
                List.of("listen_addresses=127.0.0.1", "port=" + port, "unix_socket_directories=''", "timezone=UTC"));
        if (folder.isTemporary()) {
            settings.addAll(TEMPORARY_SETTINGS);
        }
        var options = settings.stream().map(setting -> "-c " + setting).toList();
        return programs.run("pg_ctl", pgCtl("start", "--log=" + folder.log(), "--options=" + String.join(" ", options)))
                .succeeded();
    }

    /** A killed process may leave a running server or a stale pid file. */
    private void endPreviousServer() throws IOException {
        if (postmaster().isPresent()) {
            LOG.infof("Stopping the server that a previous process left running in %s", folder.path());
            if (!programs.run("pg_ctl", pgCtl("stop", "--mode=fast")).succeeded()
                    && postmaster().isPresent()) {
                programs.run("pg_ctl", pgCtl("stop", "--mode=immediate"));
            }
        } else if (recordedPid().flatMap(ProcessHandle::of).isPresent()) {
            // Another program has this pid now, and PostgreSQL would mistake it for a server.
            Files.deleteIfExists(pidFile());
        }
    }

    private List<String> pgCtl(String action, String... arguments) {
        var all = new ArrayList<>(
                List.of(action, "--wait", "--timeout=" + MAX_WAIT_SECONDS, "--pgdata=" + folder.data()));
        all.addAll(List.of(arguments));
        return all;
    }

    /** The main process of the server on these data, if it is running. */
    private Optional<ProcessHandle> postmaster() throws IOException {
        return recordedPid()
                .flatMap(ProcessHandle::of)
                .filter(process -> process.info()
                        .commandLine()
                        .filter(command -> command.contains("postgres")
                                && command.contains(folder.data().toString()))
                        .isPresent());
    }

    private Optional<Long> recordedPid() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        return Files.readAllLines(pidFile()).stream()
                .findFirst()
                .filter(line -> line.matches("\\d{1,10}"))
                .map(Long::valueOf);
    }

    private Path pidFile() {
        return folder.data().resolve("postmaster.pid");
    }

    private String endOfLog() throws IOException {
        var lines = Files.exists(folder.log()) ? Files.readAllLines(folder.log()) : List.<String>of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - MAX_LOG_LINES_SHOWN), lines.size()));
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_BETWEEN_ATTEMPTS_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The start was interrupted while PostgreSQL was starting.", e);
        }
    }
}
