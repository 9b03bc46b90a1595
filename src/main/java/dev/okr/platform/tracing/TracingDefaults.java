package dev.okr.platform.tracing;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Disables tracing unless an endpoint is configured, because Quarkus has a default endpoint. The database driver is
 * wrapped only if tracing is on. If Quarkus' exporter settings are missing, OpenTelemetry's own settings apply, such as
 * {@code OTEL_EXPORTER_OTLP_ENDPOINT}. Configured values always take precedence.
 */
public final class TracingDefaults implements SmallRyeConfigBuilderCustomizer {
    static final String DISABLED = "quarkus.otel.sdk.disabled";
    static final String DATABASE = "quarkus.datasource.jdbc.telemetry.enabled";
    static final String ENDPOINT = "quarkus.otel.exporter.otlp.endpoint";

    private static final String SHARE = "quarkus.otel.traces.sampler.arg";
    private static final Set<String> SHARED = Set.of("endpoint", "headers", "protocol", "compression");
    private static final String TRACES_PATH = "/v1/traces";
    private static final String TRACES_ENDPOINT = "quarkus.otel.exporter.otlp.traces.endpoint";
    private static final String EXPORTER = "quarkus.otel.exporter.otlp.";
    private static final int QUARKUS = "quarkus.".length();

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withInterceptors(new Interceptor());
    }

    /** An interceptor, because a configuration source does not see other sources. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var configured = context.proceed(name);
            if (configured(configured) != null) {
                return configured;
            }
            var defaultValue = switch (name) {
                case DISABLED -> String.valueOf(isDisabled(context));
                case DATABASE -> String.valueOf(!isDisabled(context));
                case SHARE -> configured(context.proceed(name.substring(QUARKUS)));
                default -> name.startsWith(EXPORTER) ? exporter(context, name) : null;
            };
            return defaultValue == null
                    ? configured
                    : ConfigValue.builder()
                            .withName(name)
                            .withValue(defaultValue)
                            .build();
        }

        private static boolean isDisabled(ConfigSourceInterceptorContext context) {
            var disabled = Stream.of(DISABLED, DISABLED.substring(QUARKUS))
                    .map(each -> configured(context.proceed(each)))
                    .filter(Objects::nonNull)
                    .findFirst();
            return disabled.map(Boolean::parseBoolean).orElseGet(() -> !hasEndpoint(context));
        }

        private static boolean hasEndpoint(ConfigSourceInterceptorContext context) {
            return Stream.of(ENDPOINT, TRACES_ENDPOINT)
                    .anyMatch(name -> configured(context.proceed(name)) != null || exporter(context, name) != null);
        }

        /**
         * OpenTelemetry's value for a setting of Quarkus' exporter. The value for traces applies first. Otherwise the
         * value for all signals applies, unless Quarkus has its own value for all signals. Only settings with the same
         * meaning in both are used. For example, timeouts are excluded, because OpenTelemetry's are in milliseconds.
         */
        private static @Nullable String exporter(ConfigSourceInterceptorContext context, String name) {
            if (!SHARED.contains(name.substring(name.lastIndexOf('.') + 1))) {
                return null;
            }
            var own = configured(context.proceed(name.substring(QUARKUS)));
            if (own != null) {
                // Quarkus adds the path itself.
                return name.equals(TRACES_ENDPOINT) && own.endsWith(TRACES_PATH)
                        ? own.substring(0, own.length() - TRACES_PATH.length())
                        : own;
            }
            var general = name.replace(".traces.", ".");
            return general.equals(name) || configured(context.proceed(general)) != null
                    ? null
                    : configured(context.proceed(general.substring(QUARKUS)));
        }

        /** A configured value. An empty value counts as unset. Sources of defaults have negative ordinals. */
        private static @Nullable String configured(@Nullable ConfigValue value) {
            return value == null
                            || value.getValue() == null
                            || value.getValue().isBlank()
                            || value.getConfigSourceOrdinal() < 0
                    ? null
                    : value.getValue().strip();
        }
    }
}
