package dev.okr.operations.database;

import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * A configuration source for the database properties. The embedded PostgreSQL starts when the first of them is read.
 */
final class EmbeddedDatabaseSource implements ConfigSource {
    /** Above environment variables (300) and system properties (400), which may contain an empty URL. */
    private static final int ORDINAL = 500;

    private static final String USERNAME = "quarkus.datasource.username";
    private static final String PASSWORD = "quarkus.datasource.password";
    private static final String SHUTDOWN_DELAY = "quarkus.shutdown.delay";

    private final @Nullable Path directory;
    private final boolean withEncryptionKey;

    /** @param withEncryptionKey whether to provide the encryption key too, because none is configured */
    EmbeddedDatabaseSource(@Nullable Path directory, boolean withEncryptionKey) {
        this.directory = directory;
        this.withEncryptionKey = withEncryptionKey;
    }

    @Override
    public @Nullable String getValue(String name) {
        return switch (name) {
            case EmbeddedDatabaseFactory.URL -> answer(EmbeddedDatabase::url);
            case USERNAME -> EmbeddedDatabase.USERNAME;
            case PASSWORD -> answer(EmbeddedDatabase::password);
            // Only one process uses the database, so no other replica takes over requests.
            case SHUTDOWN_DELAY -> "0s";
            case EmbeddedDatabaseFactory.ENCRYPTION_KEY ->
                withEncryptionKey ? answer(EmbeddedDatabase::encryptionKey) : null;
            default -> null;
        };
    }

    /**
     * Does not list the provided properties. The build reads every listed property and stores its value, which would
     * start a server. Only one name of the group is listed. Without it, Quarkus would not read user name and password.
     */
    @Override
    public Set<String> getPropertyNames() {
        return Set.of("quarkus.datasource.credentials-provider");
    }

    @Override
    public String getName() {
        return "embedded PostgreSQL";
    }

    @Override
    public int getOrdinal() {
        return ORDINAL;
    }

    private @Nullable String answer(Function<EmbeddedDatabase, String> property) {
        return EmbeddedDatabase.running(directory).map(property).orElse(null);
    }
}
