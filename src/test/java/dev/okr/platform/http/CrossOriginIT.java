package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** CORS, off by default and with configured origins. */
@QuarkusIntegrationTest
@Tag("waits")
class CrossOriginIT extends HttpTest {
    private static final String ME = "/v1/users/me";
    private static final String ORIGIN = "https://app.example";
    private static final String PREFLIGHT = """
            OPTIONS /v1/objectives HTTP/1.1\r
            Host: api\r
            Origin: %s\r
            Access-Control-Request-Method: POST\r
            Access-Control-Request-Headers: authorization,content-type,idempotency-key\r
            \r
            """;

    @Test
    void other_origins_are_refused_by_default() {
        requireNone(admin.header("Origin", ORIGIN).get(ME).is(200));
        assertThat(RawHttp.send(service, PREFLIGHT.formatted(ORIGIN)))
                .startsWith("HTTP/1.1 401 ")
                .doesNotContainIgnoringCase("access-control-");
    }

    @Test
    void configured_origins_are_allowed() {
        try (var process = ServiceProcess.onTestDatabase(
                Map.of("QUARKUS_HTTP_CORS_ENABLED", "true", "QUARKUS_HTTP_CORS_ORIGINS", ORIGIN))) {
            service = process.uri();
            admin = acme.admin().at(service);

            var answer = admin.header("Origin", ORIGIN).get(ME).is(200);
            assertThat(answer.header("Access-Control-Allow-Origin")).hasValue(ORIGIN);
            assertThat(answer.header("Access-Control-Expose-Headers")
                            .orElseThrow()
                            .split(", *"))
                    .contains(
                            "ETag",
                            "Idempotency-Replayed",
                            "Link",
                            "Location",
                            "RateLimit",
                            "RateLimit-Policy",
                            "Retry-After",
                            "X-Request-Id");
            assertThat(stranger().header("Origin", ORIGIN).get(ME).is(401).header("Access-Control-Allow-Origin"))
                    .hasValue(ORIGIN);

            // Browsers send no API key with a preflight request.
            assertThat(RawHttp.send(service, PREFLIGHT.formatted(ORIGIN)))
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("access-control-allow-origin: " + ORIGIN)
                    .containsIgnoringCase("access-control-allow-methods: POST")
                    .containsIgnoringCase("access-control-allow-headers: authorization,content-type,idempotency-key")
                    .containsIgnoringCase("access-control-max-age: 3600")
                    .containsIgnoringCase("cache-control: no-store")
                    .containsIgnoringCase("x-request-id: ");

            assertThat(RawHttp.send(service, PREFLIGHT.formatted("https://evil.example")))
                    .startsWith("HTTP/1.1 403 ")
                    .doesNotContainIgnoringCase("access-control-allow-origin");
            assertThat(RawHttp.send(service, "GET " + ME + " HTTP/1.1\r\nHost: api\r\nOrigin: null\r\n\r\n"))
                    .startsWith("HTTP/1.1 403 ")
                    .doesNotContainIgnoringCase("access-control-allow-origin");
            requireNone(admin.get(ME).is(200));
        }
    }

    private static void requireNone(Answer answer) {
        assertThat(answer.headers().map().keySet()).noneMatch(name -> name.startsWith("access-control-"));
    }
}
