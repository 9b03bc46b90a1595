package dev.okr.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Stops all that the benchmark started, in reverse order, and deletes the directory. This also runs after a failure.
 */
final class Leftovers implements AutoCloseable {
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Path directory;

    Leftovers() throws IOException {
        directory = Files.createTempDirectory("okr-bench");
        // PostgreSQL may have to run as another user.
        Commands.run(List.of("chmod", "755", directory.toString()));
    }

    Path directory() {
        return directory;
    }

    synchronized <T extends AutoCloseable> T add(T closeable) {
        started.push(closeable);
        return closeable;
    }

    @Override
    public synchronized void close() {
        for (var each : started) {
            try {
                each.close();
            } catch (Exception e) {
                e.printStackTrace();
            }
        }
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("not deleted: " + directory);
        }
    }
}
