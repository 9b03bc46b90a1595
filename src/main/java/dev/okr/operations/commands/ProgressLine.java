package dev.okr.operations.commands;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A line on standard error that shows how far a command is. It is shown only in a terminal. */
final class ProgressLine {
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final Duration EVERY = Duration.ofMillis(200);
    private static final int BAR_CHARACTERS = 40;
    private static final int LINE_CHARACTERS = 60;

    private final PrintWriter err;
    private final boolean isTerminal;
    private long nextNanos = System.nanoTime();

    ProgressLine(PrintWriter err) {
        this(err, isTerminal());
    }

    ProgressLine(PrintWriter err, boolean isTerminal) {
        this.err = err;
        this.isTerminal = isTerminal;
    }

    /** Shows a number of lines. */
    void lines(long lines) {
        show("%,d lines".formatted(lines));
    }

    /** Shows a bar. */
    void bar(String what, double done) {
        int full = (int) (BAR_CHARACTERS * Math.clamp(done, 0, 1));
        show("%s [%s%s] %d %%"
                .formatted(what, "#".repeat(full), " ".repeat(BAR_CHARACTERS - full), (int) (100 * done)));
    }

    /** Removes the line. */
    void end() {
        if (isTerminal) {
            err.print('\r' + " ".repeat(LINE_CHARACTERS) + '\r');
            err.flush();
        }
    }

    private void show(String text) {
        if (isTerminal && System.nanoTime() - nextNanos >= 0) {
            nextNanos = System.nanoTime() + EVERY.toNanos();
            err.print('\r' + text);
            err.flush();
        }
    }

    /** Java can only check whether standard input and output are a terminal. */
    private static boolean isTerminal() {
        try {
            var target = Files.readSymbolicLink(STANDARD_ERROR).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        } catch (IOException | UnsupportedOperationException e) {
            var console = System.console();
            return console != null && console.isTerminal();
        }
    }
}
