package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.http.Caller;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Relay;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica with a low limit on concurrent requests, and a database that can hang. */
@QuarkusIntegrationTest
class OverloadIT extends HttpTest {
    private static final int CONCURRENT = 4;
    private static final int NO_LIMIT = 0;

    /** One is for jobs, so the last of the concurrent requests waits for its turn. */
    private static final int DATABASE_CONNECTIONS = 4;

    private static final String PATH = "/v1/cycles";
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration MAX_WAIT = Duration.ofSeconds(15);

    /** Places are returned 10 s after a disconnection, even if the work has not ended. */
    private static final Duration BEFORE_THE_TIMEOUT = Duration.ofSeconds(5);

    private final HttpClient http = HttpClient.newHttpClient();
    private Relay relay;
    private ServiceProcess replica;

    @BeforeEach
    void start() throws Exception {
        start(NO_LIMIT);
    }

    private void start(int perOrganization) throws Exception {
        var database = URI.create(TestDatabase.jdbcUrl().substring("jdbc:".length()));
        relay = Relay.to(database.getHost(), database.getPort());
        replica = ServiceProcess.onTestDatabase(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                TestDatabase.jdbcUrl()
                        .replace(database.getHost() + ':' + database.getPort(), "127.0.0.1:" + relay.port()),
                "QUARKUS_DATASOURCE_JDBC_MAX_SIZE",
                String.valueOf(DATABASE_CONNECTIONS),
                "OKR_LIMITS_CONCURRENT_REQUESTS",
                String.valueOf(CONCURRENT),
                "OKR_LIMITS_CONCURRENT_REQUESTS_PER_ORGANIZATION",
                String.valueOf(perOrganization)));
        admin = admin.at(replica.uri());
        admin.get(PATH).is(200);
        // The place is returned after the response. The first reading of the metrics also takes time.
        await(0);
    }

    @AfterEach
    void stop() throws IOException {
        replica.close();
        relay.close();
        http.close();
    }

    @Test
    void requests_above_the_limit_are_rejected_at_once_but_not_health_checks() throws Exception {
        relay.freeze();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = new ArrayList<Future<Answer>>();
            for (int i = 0; i < CONCURRENT; i++) {
                waiting.add(threads.submit(() -> admin.get(PATH)));
            }
            await(CONCURRENT);

            var before = Instant.now();
            var answer = admin.get(PATH).isProblem(503, "unavailable");
            assertThat(answer.header("Retry-After")).hasValue("1");
            assertThat(answer.headers().map()).doesNotContainKey("connection");
            assertThat(admin.post("/v1/cycles", "{}").is(503).detail()).contains("Too many requests");
            // An unread body does not delay the next request.
            assertThat(admin.post("/v1/cycles", " ".repeat(300_000)).is(503).detail())
                    .contains("Too many requests");
            assertThat(replica.status("/q/health/live")).isEqualTo(200);
            assertThat(metric("okr_requests_shed_total")).isEqualTo(3);
            assertThat(Duration.between(before, Instant.now())).isLessThan(AT_ONCE);

            relay.thaw();
            for (var each : waiting) {
                assertThat(each.get().status()).isIn(200, 503);
            }
        }
        await(0);
        requireRoomForAll();
    }

    @Test
    void organisations_with_many_requests_leave_places_for_others() throws Exception {
        // The replica starts again with a limit for each organisation.
        var organizations = List.of(organization(), organization());
        replica.close();
        relay.close();
        start(CONCURRENT);
        var second = organizations.getFirst().admin().at(replica.uri());
        var third = organizations.getLast().admin().at(replica.uri());
        // The replica must still know the keys when the database hangs. So it looks all of them up again just before.
        Thread.sleep(Caller.MAX_AGE);
        for (var api : List.of(admin, second, third)) {
            api.get(PATH).is(200);
        }
        await(0);
        relay.freeze();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = new ArrayList<Future<Answer>>();
            for (var api : List.of(admin, admin, second, third)) {
                waiting.add(threads.submit(() -> api.get(PATH)));
                await(waiting.size());
                if (waiting.size() > 1 && waiting.size() < CONCURRENT) {
                    api.get(PATH).isProblem(429, "rate_limited");
                }
            }
            relay.thaw();
            for (var each : waiting) {
                assertThat(each.get().status()).isIn(200, 503);
            }
        }
    }

    @Test
    void a_request_whose_client_disconnected_counts_until_its_work_ends() throws Exception {
        var key = acme.key(acme.viewerUser().uuid());
        Api.of(replica.uri()).with(key).get(PATH).is(200);
        var request = "GET " + PATH + " HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer " + key + "\r\n\r\n";
        relay.freeze();
        for (int i = 0; i < 5 * CONCURRENT; i++) {
            RawHttp.abandon(replica.uri(), request, Duration.ofMillis(20));
        }
        assertThat(metric("okr_requests_under_way")).isBetween(1, CONCURRENT);
        await(0);
        relay.thaw();
        requireRoomForAll();
    }

    @Test
    void a_tool_call_whose_client_disconnected_counts_until_its_work_ends() throws Exception {
        var key = acme.key(acme.viewerUser().uuid());
        new Assistant(Api.of(replica.uri()).with(key)).call("list_cycles").succeeds();
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"list_cycles\"}}";
        var request =
                "POST /mcp HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(key, body.length(), body);
        relay.freeze();
        for (int i = 0; i < CONCURRENT; i++) {
            RawHttp.abandon(replica.uri(), request, AT_ONCE.dividedBy(10));
        }
        // The one that waits for its turn leaves first. All places are returned after ten seconds, so this ends.
        while (metric("okr_requests_under_way") == CONCURRENT) {
            Thread.sleep(20);
        }
        assertThat(metric("okr_requests_under_way")).isPositive();
        relay.thaw();
        await(0, BEFORE_THE_TIMEOUT);
        requireRoomForAll();
    }

    private void requireRoomForAll() throws Exception {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (admin.get(PATH).status() != 200) {
            assertThat(Instant.now()).isBefore(deadline);
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<Future<Answer>>();
            for (int i = 0; i < CONCURRENT; i++) {
                answers.add(threads.submit(() -> admin.get(PATH)));
            }
            for (var each : answers) {
                each.get().is(200);
            }
        }
    }

    private void await(int underWay) throws Exception {
        await(underWay, MAX_WAIT);
    }

    private void await(int underWay, Duration maxWait) throws Exception {
        var deadline = Instant.now().plus(maxWait);
        while (metric("okr_requests_under_way") != underWay) {
            assertThat(Instant.now())
                    .as("%s requests", metric("okr_requests_under_way"))
                    .isBefore(deadline);
            Thread.sleep(20);
        }
    }

    private int metric(String name) throws Exception {
        var request =
                HttpRequest.newBuilder(replica.uri().resolve("/q/metrics")).build();
        return http.send(request, HttpResponse.BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(name + ' ') || line.startsWith(name + '{'))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElseThrow();
    }
}
