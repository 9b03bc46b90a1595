package dev.okr.tracing;

import io.smallrye.config.ConfigSourceInterceptor;
import io.smallrye.config.ConfigSourceInterceptorContext;
import io.smallrye.config.ConfigValue;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.smallrye.config.SmallRyeConfigBuilderCustomizer;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Switches tracing off unless an endpoint is set, since Quarkus would send to one of its own choice; the driver of the
 * database is wrapped only together with it. Where Quarkus' settings of the exporter are missing, OpenTelemetry's own
 * count ({@code OTEL_EXPORTER_OTLP_ENDPOINT}). Whatever is configured wins.
 */
public final class TracingDefaults implements SmallRyeConfigBuilderCustomizer {
    static final String DISABLED = "quarkus.otel.sdk.disabled";
    static final String DATABASE = "quarkus.datasource.jdbc.telemetry.enabled";
    static final String ENDPOINT = "quarkus.otel.exporter.otlp.endpoint";

    private static final String TRACES_ENDPOINT = "quarkus.otel.exporter.otlp.traces.endpoint";
    private static final String EXPORTER = "quarkus.otel.exporter.otlp.";
    private static final int QUARKUS = "quarkus.".length();

    @Override
    public void configBuilder(SmallRyeConfigBuilder builder) {
        builder.withInterceptors(new Interceptor());
    }

    /** Asks for the endpoint when it is needed: a source could not see what other sources bring. */
    static final class Interceptor implements ConfigSourceInterceptor {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable ConfigValue getValue(ConfigSourceInterceptorContext context, String name) {
            var configured = context.proceed(name);
            if (configured(configured) != null) {
                return configured;
            }
            var standard = switch (name) {
                case DISABLED -> String.valueOf(!hasEndpoint(context));
                case DATABASE -> String.valueOf(!isDisabled(context));
                default -> name.startsWith(EXPORTER) ? exporter(context, name) : null;
            };
            return standard == null
                    ? configured
                    : ConfigValue.builder().withName(name).withValue(standard).build();
        }

        private static boolean isDisabled(ConfigSourceInterceptorContext context) {
            var disabled = configured(context.proceed(DISABLED));
            return disabled == null ? !hasEndpoint(context) : Boolean.parseBoolean(disabled);
        }

        private static boolean hasEndpoint(ConfigSourceInterceptorContext context) {
            return Stream.of(ENDPOINT, TRACES_ENDPOINT)
                    .anyMatch(name -> configured(context.proceed(name)) != null || exporter(context, name) != null);
        }

        /** The setting as OpenTelemetry names it, for traces or for everything. */
        private static @Nullable String exporter(ConfigSourceInterceptorContext context, String name) {
            var standard = name.substring(QUARKUS);
            return Stream.of(standard, standard.replace(".traces.", "."))
                    .map(each -> configured(context.proceed(each)))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        /** A value that somebody has set; an empty one equals none. Defaults come from sources with negative ordinals. */
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
