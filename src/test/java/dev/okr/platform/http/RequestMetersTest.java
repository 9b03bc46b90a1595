package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Metrics;
import dev.okr.testing.RawHttp;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The metrics of requests contain the names of operations, and no text that clients sent. */
@QuarkusTest
class RequestMetersTest extends HttpTest {
    private static final String COUNT = "http_server_requests_seconds_count";
    private static final String OBJECTIVE = "/v1/objectives/{id}";

    @Test
    void requests_of_known_callers_are_counted_with_their_operation() {
        var path = "/v1/objectives/" + newObjective();
        admin.get(path).is(200);
        admin.get(path + "?unknown").is(400);
        organization("team").admin().get(path).is(403);
        organization().admin().get(path).is(404);

        var metrics = Metrics.of(service);
        for (int status : List.of(200, 400, 403, 404)) {
            assertThat(metrics.samples(COUNT))
                    .anyMatch(sample -> sample.has("method", "GET")
                            && sample.has("uri", OBJECTIVE)
                            && sample.has("status", String.valueOf(status)));
        }
    }

    /** Otherwise a client without a key could create thousands of metrics. */
    @Test
    void requests_of_unknown_callers_or_with_wrong_methods_are_counted_together() {
        var path = "/v1/objectives/" + newObjective();
        var before = Metrics.of(service).samples(COUNT);
        stranger().put(path, "{}").is(401);
        admin.send("POST", path, "{}").is(405);

        for (var status : List.of("401", "405")) {
            assertThat(Metrics.of(service).samples(COUNT))
                    .filteredOn(sample -> sample.has("status", status) && !before.contains(sample))
                    .extracting(sample -> sample.labels().get("uri"))
                    .contains("/v1/")
                    .isSubsetOf("/v1/", "OTHER");
        }
    }

    @Test
    void the_alerts_see_failures_before_the_caller_is_known() throws Exception {
        var token = acme.key(acme.viewerUser().uuid());
        try (var database = TestDatabase.connect();
                var statement = database.createStatement()) {
            database.setAutoCommit(false);
            statement.execute("LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE");
            stranger().with(token).get("/v1/users/me").is(503);
            database.rollback();
        }

        assertThat(Metrics.of(service).samples(COUNT))
                .anyMatch(sample -> sample.has("status", "503") && sample.has("uri", "/v1/"));
    }

    @Test
    void requests_of_unknown_paths_are_counted_together() {
        var made = "m" + UUID.randomUUID();
        for (var path :
                List.of("/" + made, "/v1/" + made, "/v1/{" + made + "}", "/settings/" + made, "/v1/x;" + made)) {
            RawHttp.send(service, "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            RawHttp.send(
                    service, made.toUpperCase() + ' ' + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        }

        var metrics = Metrics.of(service);
        assertThat(metrics.text()).doesNotContainIgnoringCase(made);
        assertThat(metrics.samples(COUNT)).anyMatch(sample -> sample.has("uri", "OTHER"));
        assertThat(metrics.samples(COUNT)).anyMatch(sample -> sample.has("method", "OTHER"));
    }

    @Test
    void durations_have_buckets() {
        admin.get("/v1/users/me").is(200);

        assertThat(Metrics.of(service).samples("http_server_requests_seconds_bucket"))
                .filteredOn(sample -> sample.has("uri", "/v1/users/me") && sample.has("status", "200"))
                .extracting(sample -> sample.labels().get("le"))
                .contains("0.0025", "0.1", "0.5", "5.0", "+Inf")
                .hasSize(12);
    }
}
