package dev.okr.operations.commands;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version of this build. Maven writes it to a file, so that it can be read without a start. */
final class Version implements IVersionProvider {
    private static final String FILE = "version.properties";

    @Override
    public String[] getVersion() {
        return new String[] {"okr " + number()};
    }

    static String number() {
        try (var file = Objects.requireNonNull(Version.class.getResourceAsStream(FILE), FILE)) {
            var properties = new Properties();
            properties.load(file);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
