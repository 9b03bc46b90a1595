package dev.okr.operations.database;

import java.nio.file.Path;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/** Answers the questions for the database with an embedded PostgreSQL, started when the first of them is asked. */
final class EmbeddedDatabaseSource implements ConfigSource {
    /** Above environment variables (300) and system properties (400), where an empty URL may stand. */
    private static final int ORDINAL = 500;

    private static final String USERNAME = "quarkus.datasource.username";
    private static final String PASSWORD = "quarkus.datasource.password";
    private static final String SHUTDOWN_DELAY = "quarkus.shutdown.delay";

    private final @Nullable Path directory;
    private final boolean withEncryptionKey;

    /** @param withEncryptionKey whether the key comes from here too, because none is configured */
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
            // The database is one process's: there is no other replica to hand over to.
            case SHUTDOWN_DELAY -> "0s";
            case EmbeddedDatabaseFactory.ENCRYPTION_KEY ->
                withEncryptionKey ? answer(EmbeddedDatabase::encryptionKey) : null;
            default -> null;
        };
    }

    /**
     * Lists no property that it answers: the build reads each property that is listed, which would start a server,
     * and keeps its value. But for a name of their group, Quarkus would not ask for user name and password.
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
