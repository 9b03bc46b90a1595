package dev.okr.operations.database;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Hides an invalid JDBC URL from the driver and the pool, because they log it. Such a URL often contains a password.
 * They get the URL of a host that does not exist, so the start fails. {@link OperatorMessage} then explains the reason.
 */
public final class DatabaseUrlCheck implements SmallRyeConfigBuilderCustomizer {
    static final String NO_HOST = "invalid-jdbc-url.invalid";
    static final String PROBLEM = """
            QUARKUS_DATASOURCE_JDBC_URL must have the form jdbc:postgresql://HOST:PORT/DATABASE. Set the user and the \
            password in QUARKUS_DATASOURCE_USERNAME and QUARKUS_DATASOURCE_PASSWORD.""";

    private static final String URL = "quarkus.datasource.jdbc.url";
    private static final String HOST = "(?:\\[[^\\]/?@]*]|[^]:,/?@\\[]*)(?::\\d{1,5})?";

    /** The host and the port are optional. Parameters may follow. */
    private static final Pattern VALID =
            Pattern.compile("jdbc:postgresql:(?://" + HOST + "(?:," + HOST + ")*/)?[^/?@]*(?:\\?.*)?");

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withInterceptors(new Interceptor());
    }

    /** An interceptor, because the pool uses the URL before other code can run. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var value = context.proceed(name);
            boolean isInvalid =
                    name.equals(URL) && value != null && value.getValue() != null && !isValid(value.getValue());
            return isInvalid ? value.withValue("jdbc:postgresql://" + NO_HOST + '/') : value;
        }
    }

    /** An empty value counts as unset. */
    static boolean isValid(String url) {
        return url.isBlank() || VALID.matcher(url.strip()).matches();
    }
}
