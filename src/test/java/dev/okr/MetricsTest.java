package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Metrics;
import dev.okr.testing.ObservabilityFiles;
import dev.okr.testing.Receiver;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The service has all metrics of the dashboard and the alerts. */
@QuarkusTest
class MetricsTest extends HttpTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /** Metrics of Prometheus, Kubernetes and the recording rules. */
    private static final Set<String> OF_OTHERS = Set.of("up", "kube_deployment_status_replicas_available");

    @Test
    void the_service_has_all_metrics_of_the_dashboard_and_the_alerts() throws Exception {
        try (var receiver = Receiver.start()) {
            var webhook = admin.post(
                            "/v1/webhooks", Json.object("url", receiver.url("/"), "events", List.of("cycle.created")))
                    .is(201)
                    .id();
            newCycle();
            receiver.await(1);

            var missing = asked();
            for (var end = Instant.now().plus(MAX_WAIT);
                    !missing.isEmpty() && Instant.now().isBefore(end); ) {
                // Attempts and garbage collections appear in the metrics after a while.
                System.gc();
                Thread.sleep(100);
                missing.removeAll(Metrics.of(service).names());
            }
            assertThat(missing).isEmpty();
            admin.delete("/v1/webhooks/" + webhook).is(200);
        }
    }

    private static Set<String> asked() {
        var asked = new TreeSet<>(ObservabilityFiles.metrics());
        assertThat(asked).hasSizeGreaterThan(20).contains("http_server_requests_seconds_bucket");
        asked.removeAll(OF_OTHERS);
        ObservabilityFiles.rules().forEach(rule -> asked.remove((String) rule.getOrDefault("record", "")));
        return asked;
    }
}
