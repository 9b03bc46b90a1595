package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Increments of one key result by many clients, while a replica is killed. */
@QuarkusIntegrationTest
class IncrementIT extends HttpTest {
    private static final int CLIENTS = 32;
    private static final int INCREMENTS_OF_CLIENT = 100;
    private static final int ALL = CLIENTS * INCREMENTS_OF_CLIENT;
    private static final Duration MAX_TIME = Duration.ofMinutes(3);

    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();

    @Test
    void repeated_increments_add_exactly_once_after_a_replica_was_killed() throws Exception {
        var keyResult = newKeyResult(newObjective(), 0, 2 * ALL);
        try (var killed = replica();
                var other = replica();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var deadline = Instant.now().plus(MAX_TIME);
            var replicas = List.of(member.at(killed.uri()), member.at(other.uri()));
            var running = IntStream.range(0, CLIENTS)
                    .mapToObj(client -> clients.submit(() -> {
                        for (int i = 0; i < INCREMENTS_OF_CLIENT; i++) {
                            increment(keyResult, replicas, client + i, deadline);
                        }
                    }))
                    .toList();
            while (done.get() < ALL / 4) {
                assertThat(Instant.now()).isBefore(deadline);
                Thread.sleep(5);
            }
            killed.kill();
            for (var client : running) {
                client.get();
            }
        }

        assertThat(repeated).hasPositiveValue();
        var after = viewer.get("/v1/key-results/" + keyResult).is(200);
        assertThat(after.number("current_value")).isEqualByComparingTo(String.valueOf(ALL));
        assertThat(after.number("progress")).isEqualByComparingTo("0.5");
        assertThat(viewer.get(Paths.checkIns(keyResult) + "?per_page=1")
                        .meta()
                        .get("total")
                        .intValue())
                .isEqualTo(ALL);
    }

    /** Repeats the request with the same key at the next replica, until it succeeds. */
    private void increment(String keyResult, List<Api> replicas, int first, Instant deadline) {
        var key = UUID.randomUUID().toString();
        for (int attempt = first; ; attempt++) {
            assertThat(Instant.now()).isBefore(deadline);
            try {
                var answer = replicas.get(attempt % replicas.size())
                        .header("Idempotency-Key", key)
                        .post(Paths.checkIns(keyResult), object("increment", 1));
                if (answer.status() == 201) {
                    done.incrementAndGet();
                    return;
                }
                assertThat(answer.status()).as(answer::toString).isIn(409, 503);
            } catch (UncheckedIOException died) {
                repeated.incrementAndGet();
            }
        }
    }

    private static ServiceProcess replica() {
        return ServiceProcess.onTestDatabase(Map.of("OKR_RATE_LIMIT_REQUESTS_PER_MINUTE", "0"));
    }
}
