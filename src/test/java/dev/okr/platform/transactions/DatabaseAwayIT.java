package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Relay;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A separate replica of the service, whose database is stopped and started again. */
@QuarkusIntegrationTest
@Tag("waits")
class DatabaseAwayIT extends HttpTest {
    private static final Duration MAX_ANSWER = Duration.ofSeconds(5);
    private static final Duration MAX_RECOVERY = Duration.ofSeconds(5);

    private Relay relay;
    private ServiceProcess replica;

    @BeforeEach
    void start() throws IOException {
        var database = URI.create(TestDatabase.jdbcUrl().substring("jdbc:".length()));
        relay = Relay.to(database.getHost(), database.getPort());
        var url = TestDatabase.jdbcUrl()
                .replace(database.getHost() + ':' + database.getPort(), "127.0.0.1:" + relay.port());
        replica = ServiceProcess.start(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                url,
                "QUARKUS_DATASOURCE_USERNAME",
                TestDatabase.username(),
                "QUARKUS_DATASOURCE_PASSWORD",
                TestDatabase.password(),
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY));
        service = replica.uri();
        acme = organization();
        admin = acme.admin();
    }

    @AfterEach
    void stop() throws IOException {
        replica.close();
        relay.close();
    }

    @Test
    void a_database_that_refuses_connections_is_a_503_until_it_is_back() throws IOException {
        var cycle = newCycle();
        relay.cut();

        requireUnavailable(cycle);
        assertThat(replica.status("/q/health/ready")).isEqualTo(503);
        assertThat(replica.status("/q/health/live")).isEqualTo(200);

        relay.restore();
        requireRecovery(cycle);
    }

    @Test
    void a_database_that_does_not_answer_is_a_503_until_it_does() {
        var cycle = newCycle();
        relay.freeze();

        requireUnavailable(cycle);

        relay.thaw();
        requireRecovery(cycle);
    }

    private void requireUnavailable(String cycle) {
        requireUnavailable(() -> admin.get("/v1/cycles/" + cycle));
        requireUnavailable(() -> admin.post("/v1/cycles", Requests.cycle()));
        // A key that is not cached must be read from the database first.
        var stranger = organization().admin();
        requireUnavailable(() -> stranger.get("/v1/users/me"));
    }

    private static void requireUnavailable(Supplier<Answer> request) {
        var before = Instant.now();
        var answer = request.get();
        assertThat(Duration.between(before, Instant.now())).isLessThan(MAX_ANSWER);
        answer.is(503);
        assertThat(answer.header("Retry-After").orElseThrow()).matches("[1-9][0-9]*");
    }

    private void requireRecovery(String cycle) {
        var deadline = Instant.now().plus(MAX_RECOVERY);
        var path = "/v1/cycles/" + cycle;
        while (admin.get(path).status() != 200) {
            assertThat(Instant.now()).isBefore(deadline);
        }
        admin.post("/v1/cycles", Requests.cycle()).is(201);
    }
}
