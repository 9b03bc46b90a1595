package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The lookups by name of the packaged services since the start of the tests. {@code LookupAgent} writes them. */
public final class LookupRecording {
    private static final Path FILE = Path.of("target", "lookups.tsv");

    private LookupRecording() {}

    /** Deletes the recording of an earlier run. */
    static void restart() {
        try {
            if (Files.exists(FILE)
                    && Files.getLastModifiedTime(FILE).toMillis()
                            < ManagementFactory.getRuntimeMXBean().getStartTime()) {
                Files.delete(FILE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The lines, with tabs between kind, name and caller. */
    public static List<String> lines() {
        try {
            return Files.readAllLines(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
