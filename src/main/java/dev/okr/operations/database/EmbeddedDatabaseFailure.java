package dev.okr.operations.database;

import java.util.Optional;

/**
 * The reason why the embedded database did not start. The database starts while the configuration is read. Later
 * exceptions would hide one that is thrown there. So the start continues without a database and reports this message
 * later.
 */
public final class EmbeddedDatabaseFailure {
    /** A system property, because different class loaders may load the writer and the reader. */
    private static final String PROPERTY = "dev.okr.database.failure";

    private EmbeddedDatabaseFailure() {}

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
