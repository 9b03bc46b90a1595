package dev.okr.operations.database;

import java.util.Optional;

/**
 * The reason why the embedded database did not start. It starts while the configuration is read, where an exception would
 * be lost in others. So the start continues without a database, and the message is read from here later.
 */
public final class EmbeddedDatabaseFailure {
    /** A system property, because writer and reader may be loaded by different class loaders. */
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
