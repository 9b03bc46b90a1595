package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A replica that runs only one large request at a time. */
@QuarkusIntegrationTest
@DisabledOnIntegrationTest(forArtifactTypes = DisabledOnIntegrationTest.ArtifactType.NATIVE_BINARY)
class LargeRequestIT extends HttpTest {
    private static final String BATCH = "/v1/check-ins/batch";
    private static final int CHECK_INS = 150;
    private static final String TEAM = "{\"name\": \"Platform\"}";
    private static final int LARGE = 20_000;
    private static final String WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    private static final int CLIENTS = 4;

    /** Longer than one large request can wait for its turn, for a permit, and for another turn. */
    private static final Duration STORM = Duration.ofSeconds(12);

    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    @Test
    void requests_that_wait_for_a_lock_of_their_organisation_do_not_block_those_of_others() throws Exception {
        var other = organization();
        var locked = checkIns(acme);
        var free = checkIns(other);
        var isOver = new AtomicBoolean();
        try (var replica = ServiceProcess.onTestDatabase(Map.of("JAVA_TOOL_OPTIONS", "-Xmx256m"));
                var importing = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = admin.at(replica.uri());
            var service = other.admin().at(replica.uri());
            // The first requests of a new process are slow.
            service.post(BATCH, free).is(201);
            lock(importing);
            // The small changes use all turns of the organisation, so its large ones also wait for turns.
            var storm = Stream.<Callable<Answer>>of(
                            () -> waiting.post(BATCH, locked),
                            () -> waiting.post("/v1/teams", TEAM + " ".repeat(LARGE)),
                            () -> waiting.post("/v1/teams", TEAM))
                    .flatMap(request -> Collections.nCopies(CLIENTS, request).stream())
                    .map(request -> clients.submit(() -> repeat(request, isOver)))
                    .toList();
            try {
                await(() -> TestDatabase.count(WAITING) > 0, () -> "no request waits");
                var end = Instant.now().plus(STORM);
                while (Instant.now().isBefore(end)) {
                    long start = System.nanoTime();
                    service.post(BATCH, free).is(201);
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(MAX_WAIT);
                }
            } finally {
                isOver.set(true);
            }
            for (var each : storm) {
                each.get();
            }
        }
    }

    private static Void repeat(Callable<Answer> request, AtomicBoolean isOver) throws Exception {
        while (!isOver.get()) {
            request.call().isProblem(503, "unavailable");
        }
        return null;
    }

    /** Takes the locks that an import of all objectives holds. */
    private void lock(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        for (var table : List.of("organization WHERE id", "objective WHERE organization_id")) {
            try (var statement = connection.prepareStatement("SELECT 1 FROM " + table + " = ? FOR NO KEY UPDATE")) {
                statement.setObject(1, acme.id());
                statement.execute();
            }
        }
    }

    private static Map<String, Object> checkIns(TestOrganization organization) {
        var api = organization.admin();
        var cycle = api.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var objective =
                api.post("/v1/objectives", Requests.objective(cycle)).is(201).id();
        var keyResult = api.post(Paths.keyResults(objective), Requests.keyResult(0, 10))
                .is(201)
                .id();
        return Json.object(
                "check_ins", Collections.nCopies(CHECK_INS, Json.object("key_result_id", keyResult, "value", 1)));
    }
}
