package dev.okr.operations.database;

import java.util.Optional;

/**
 * Why the embedded database does not run. It is started while the configuration is read, where an exception would be
 * buried in others; so the service goes on without a database for the moment, and is told here why it has none.
 */
public final class EmbeddedDatabaseFailure {
    /** A system property, because the class that sets it may be loaded apart from the one that reads it. */
    private static final String PROPERTY = "dev.okr.database.failure";

    private EmbeddedDatabaseFailure() {}

    public static Optional<String> message() {
        return Optional.ofNullable(System.getProperty(PROPERTY));
    }

    static void remember(String message) {
        System.setProperty(PROPERTY, message);
    }

    static void forget() {
        System.clearProperty(PROPERTY);
    }
}
