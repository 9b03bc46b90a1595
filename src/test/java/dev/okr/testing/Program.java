package dev.okr.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The packaged jar or the native binary, from the file that Quarkus writes for its tests. */
public final class Program {
    private static final Path TARGET = Path.of("target");
    private static final Path NOTE = TARGET.resolve("quarkus-artifact.properties");

    /** The options of all services of the packaged tests, separated by spaces. */
    private static final List<String> JVM_OPTIONS = List.of(
            System.getProperty("okr.test.jvm-options", "-XX:+UseSerialGC").split(" "));

    private Program() {}

    /** The command line to run it with arguments. */
    public static List<String> command(String... arguments) {
        var note = note();
        var program = TARGET.resolve(note.getProperty("path")).toString();
        var command = new ArrayList<String>();
        if (!isNative(note)) {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(JVM_OPTIONS);
            command.add("-jar");
        }
        command.add(program);
        command.addAll(List.of(arguments));
        return command;
    }

    /** A native binary has no embedded database and no demonstration. */
    public static boolean isNative() {
        return isNative(note());
    }

    private static boolean isNative(Properties note) {
        return "native".equals(note.getProperty("type"));
    }

    private static Properties note() {
        var note = new Properties();
        try (var file = Files.newBufferedReader(NOTE)) {
            note.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return note;
    }
}
