package dev.okr.operations.database;

import java.util.Optional;

/**
 * The reason why the configured database cannot be used: the embedded database did not start, or the JDBC URL is wrong.
 * Both are known while the configuration is read. Later exceptions would hide one that is thrown there. So the start
 * continues without a database and reports this message later.
 */
public final class DatabaseFailure {
    /** A system property, because different class loaders may load the writer and the reader. */
    private static final String PROPERTY = "dev.okr.database.failure";

    private DatabaseFailure() {}

    public static Optional<String> message() {
        return Optional.ofNullable(System.getProperty(PROPERTY));
    }

    static void set(String message) {
        System.setProperty(PROPERTY, message);
    }

    static void clear() {
        System.clearProperty(PROPERTY);
    }
}
