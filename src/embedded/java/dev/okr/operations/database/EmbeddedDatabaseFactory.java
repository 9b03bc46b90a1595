package dev.okr.operations.database;

import io.smallrye.config.ConfigSourceContext;
import io.smallrye.config.ConfigSourceFactory;
import java.nio.file.Path;
import java.util.List;
import org.eclipse.microprofile.config.spi.ConfigSource;
import org.jspecify.annotations.Nullable;

/** Adds the embedded PostgreSQL to the configuration if it is enabled and no other database is configured. */
public final class EmbeddedDatabaseFactory implements ConfigSourceFactory {
    static final String URL = "quarkus.datasource.jdbc.url";
    static final String ENCRYPTION_KEY = "okr.encryption-key";

    private static final String ENABLED = "okr.embedded-database";
    private static final String DIRECTORY = "okr.embedded-database-directory";
    private static final String DEFAULT_DIRECTORY = ".okr-data";
    private static final String TEST_PROFILE = "test";

    @Override
    public Iterable<ConfigSource> getConfigSources(ConfigSourceContext context) {
        if (!"true".equals(value(context, ENABLED)) || value(context, URL) != null) {
            return List.of();
        }
        return List.of(new EmbeddedDatabaseSource(directory(context), value(context, ENCRYPTION_KEY) == null));
    }

    /** The folder for the data. Null in tests, which use a temporary folder. */
    private static @Nullable Path directory(ConfigSourceContext context) {
        var configured = value(context, DIRECTORY);
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        return context.getProfiles().contains(TEST_PROFILE)
                ? null
                : Path.of(DEFAULT_DIRECTORY).toAbsolutePath();
    }

    /** A configured value. An empty value counts as unset. */
    private static @Nullable String value(ConfigSourceContext context, String name) {
        var value = context.getValue(name).getValue();
        return value == null || value.isBlank() ? null : value.strip();
    }
}
