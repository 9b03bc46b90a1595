package dev.okr.platform.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("repeats")
@QuarkusIntegrationTest
class IdempotencyIT extends IdempotencyTest {

    @Test
    void another_replica_replays_a_stored_response() {
        var webhook = Map.of("url", "http://127.0.0.1:9/hook", "events", List.of("alignment.deleted"));
        var token = acme.key(acme.adminUser().uuid());
        var here = client(token);
        var cycle = here.post("/v1/cycles", Requests.cycle()).is(201);
        var secret = here.post("/v1/webhooks", webhook).is(201);
        try (var process = ServiceProcess.start(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                TestDatabase.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                TestDatabase.username(),
                "QUARKUS_DATASOURCE_PASSWORD",
                TestDatabase.password(),
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY,
                "OKR_WEBHOOKS_ALLOW_HTTP",
                "true",
                "OKR_WEBHOOKS_ALLOWED_NETWORKS",
                "127.0.0.1/32"))) {
            service = process.uri();
            var there = client(token);
            requireReplay(cycle, there.post("/v1/cycles", Requests.cycle()));
            requireReplay(secret, there.post("/v1/webhooks", webhook));
            assertThat(there.get("/v1/cycles").ids()).containsExactly(cycle.id());
        }
    }

    private Api client(String token) {
        return stranger().with(token).header("Idempotency-Key", "the-same-everywhere");
    }
}
