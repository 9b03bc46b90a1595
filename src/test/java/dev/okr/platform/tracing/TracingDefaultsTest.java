package dev.okr.platform.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TracingDefaultsTest {
    private static final int BELOW_EVERYTHING = Integer.MIN_VALUE + 100;

    @Test
    void without_an_endpoint_nothing_is_traced() {
        var config = config(Map.of());

        assertThat(config.getValue(TracingDefaults.DISABLED, boolean.class)).isTrue();
        assertThat(config.getValue(TracingDefaults.DATABASE, boolean.class)).isFalse();
    }

    @Test
    void an_endpoint_enables_tracing() {
        for (var name : new String[] {
            "quarkus.otel.exporter.otlp.endpoint",
            "quarkus.otel.exporter.otlp.traces.endpoint",
            "otel.exporter.otlp.endpoint",
            "otel.exporter.otlp.traces.endpoint"
        }) {
            var config = config(Map.of(name, "http://collector:4317"));

            assertThat(config.getValue(TracingDefaults.DISABLED, boolean.class))
                    .as(name)
                    .isFalse();
            assertThat(config.getValue(TracingDefaults.DATABASE, boolean.class))
                    .as(name)
                    .isTrue();
        }
    }

    @Test
    void an_empty_endpoint_counts_as_unset() {
        assertThat(config(Map.of(TracingDefaults.ENDPOINT, " ")).getValue(TracingDefaults.DISABLED, boolean.class))
                .isTrue();
    }

    @Test
    void configured_values_take_precedence() {
        var off = config(Map.of(TracingDefaults.ENDPOINT, "http://collector:4317", TracingDefaults.DISABLED, "true"));
        assertThat(off.getValue(TracingDefaults.DISABLED, boolean.class)).isTrue();
        assertThat(off.getValue(TracingDefaults.DATABASE, boolean.class)).isFalse();

        var own = config(Map.of(
                TracingDefaults.ENDPOINT, "http://own:4317", "otel.exporter.otlp.endpoint", "http://standard:4317"));
        assertThat(own.getValue(TracingDefaults.ENDPOINT, String.class)).isEqualTo("http://own:4317");
    }

    @Test
    void the_settings_of_opentelemetry_replace_missing_settings_of_quarkus() {
        var config = config(Map.of(
                "otel.exporter.otlp.endpoint",
                "http://collector:4318",
                "otel.exporter.otlp.protocol",
                "http/protobuf",
                "otel.exporter.otlp.traces.protocol",
                "grpc"));

        assertThat(config.getValue(TracingDefaults.ENDPOINT, String.class)).isEqualTo("http://collector:4318");
        assertThat(config.getValue("quarkus.otel.exporter.otlp.traces.endpoint", String.class))
                .isEqualTo("http://collector:4318");
        assertThat(config.getValue("quarkus.otel.exporter.otlp.traces.protocol", String.class))
                .isEqualTo("grpc");
    }

    @Test
    void an_injected_default_does_not_override_a_configured_value() {
        var config = config(Map.of(
                TracingDefaults.ENDPOINT,
                "http://own:4317",
                "otel.exporter.otlp.endpoint",
                "http://injected:4317",
                "otel.exporter.otlp.timeout",
                "10000"));

        assertThat(config.getValue("quarkus.otel.exporter.otlp.traces.endpoint", String.class))
                .isEqualTo("http://localhost:4317/");
        assertThat(config.getOptionalValue("quarkus.otel.exporter.otlp.timeout", String.class))
                .isEmpty();
    }

    @Test
    void the_endpoint_the_sampling_share_and_the_switch_of_opentelemetry_are_supported() {
        var config = config(Map.of(
                "otel.exporter.otlp.traces.endpoint",
                "http://collector:4318/v1/traces",
                "otel.traces.sampler.arg",
                "0.05",
                "otel.sdk.disabled",
                "true"));

        assertThat(config.getValue("quarkus.otel.exporter.otlp.traces.endpoint", String.class))
                .isEqualTo("http://collector:4318");
        assertThat(config.getValue("quarkus.otel.traces.sampler.arg", double.class))
                .isEqualTo(0.05);
        assertThat(config.getValue(TracingDefaults.DISABLED, boolean.class)).isTrue();
    }

    private static SmallRyeConfig config(Map<String, String> settings) {
        var builder = new SmallRyeConfigBuilder()
                .withSources(new PropertiesConfigSource(settings, "settings", 300))
                .withSources(new PropertiesConfigSource(
                        Map.of(
                                TracingDefaults.DISABLED,
                                "false",
                                TracingDefaults.ENDPOINT,
                                "http://localhost:4317/",
                                "quarkus.otel.exporter.otlp.traces.endpoint",
                                "http://localhost:4317/"),
                        "defaults of Quarkus",
                        BELOW_EVERYTHING));
        new TracingDefaults().configBuilder(builder);
        return builder.build();
    }
}
