package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** An operator command: the packaged application with arguments. */
public final class CommandProcess {
    private static final Duration MAX_RUN = Duration.ofSeconds(90);

    private CommandProcess() {}

    /** The exit code and the output of a command. */
    public record Outcome(int exitCode, String output, String errors) {}

    public static Outcome run(Map<String, String> environment, String... arguments) {
        try {
            var output = Files.createTempFile("okr-command", ".out");
            var errors = Files.createTempFile("okr-command", ".err");
            var process = start(
                    environment,
                    new ProcessBuilder(Program.command(arguments))
                            .redirectOutput(output.toFile())
                            .redirectError(errors.toFile()));
            if (!process.waitFor(MAX_RUN.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("The command does not end: " + Files.readString(errors));
            }
            var outcome = new Outcome(process.exitValue(), Files.readString(output), Files.readString(errors));
            Files.delete(output);
            Files.delete(errors);
            return outcome;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts a command that runs until it is stopped. One file gets its output and its errors. */
    public static Process start(Map<String, String> environment, Path output, String... arguments) throws IOException {
        return start(
                environment,
                new ProcessBuilder(Program.command(arguments))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile()));
    }

    private static Process start(Map<String, String> environment, ProcessBuilder builder) throws IOException {
        builder.environment().keySet().removeIf(name -> name.startsWith("QUARKUS_") || name.startsWith("OKR_"));
        builder.environment().putAll(environment);
        var process = builder.start();
        process.getOutputStream().close();
        return process;
    }
}
