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
 * Switches tracing off unless an endpoint is set, since Quarkus would send to one of its own choice; the driver of the
 * database is wrapped only together with it. Where Quarkus' settings of the exporter are missing, OpenTelemetry's own
 * count ({@code OTEL_EXPORTER_OTLP_ENDPOINT}). Whatever is configured wins.
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
                case DISABLED -> String.valueOf(isDisabled(context));
                case DATABASE -> String.valueOf(!isDisabled(context));
                case SHARE -> configured(context.proceed(name.substring(QUARKUS)));
                default -> name.startsWith(EXPORTER) ? exporter(context, name) : null;
            };
            return standard == null
                    ? configured
                    : ConfigValue.builder().withName(name).withValue(standard).build();
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
         * The setting as OpenTelemetry names it: for traces, or for everything unless Quarkus has been told something for
         * everything. Not all settings mean the same here and there; OpenTelemetry's time-outs, say, are milliseconds.
         */
        private static @Nullable String exporter(ConfigSourceInterceptorContext context, String name) {
            if (!SHARED.contains(name.substring(name.lastIndexOf('.') + 1))) {
                return null;
            }
            var own = configured(context.proceed(name.substring(QUARKUS)));
            if (own != null) {
                // Quarkus adds the path of traces itself.
                return name.equals(TRACES_ENDPOINT) && own.endsWith(TRACES_PATH)
                        ? own.substring(0, own.length() - TRACES_PATH.length())
                        : own;
            }
            var general = name.replace(".traces.", ".");
            return general.equals(name) || configured(context.proceed(general)) != null
                    ? null
                    : configured(context.proceed(general.substring(QUARKUS)));
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
