package dev.okr.operations.database;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/** Rejects an invalid JDBC URL before the driver or the pool logs it. Such a URL often contains a password. */
public final class DatabaseUrlCheck implements SmallRyeConfigBuilderCustomizer {
    private static final String URL = "quarkus.datasource.jdbc.url";
    private static final String SCHEME = "jdbc:postgresql:";
    private static final Pattern USER = Pattern.compile(SCHEME + "//[^/]*@.*");

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withInterceptors(new Interceptor());
    }

    /** Hides an invalid URL, and reports it through {@link DatabaseFailure}. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var value = context.proceed(name);
            if (!name.equals(URL) || value == null || value.getValue() == null) {
                return value;
            }
            var problem = problem(value.getValue().strip());
            if (problem == null) {
                return value;
            }
            DatabaseFailure.set(problem);
            return null;
        }
    }

    /** The problem with a URL, without the URL itself. Null if it is valid or empty. */
    static @Nullable String problem(String url) {
        if (url.isEmpty()) {
            return null;
        }
        if (!url.startsWith(SCHEME)) {
            return "QUARKUS_DATASOURCE_JDBC_URL must start with `jdbc:postgresql:`.";
        }
        if (USER.matcher(url).matches()) {
            return """
                    QUARKUS_DATASOURCE_JDBC_URL must not contain a user or a password before the host. \
                    Set QUARKUS_DATASOURCE_USERNAME and QUARKUS_DATASOURCE_PASSWORD.""";
        }
        return Driver.parseURL(url, null) == null
                ? "QUARKUS_DATASOURCE_JDBC_URL is not a valid URL of a PostgreSQL database."
                : null;
    }
}
