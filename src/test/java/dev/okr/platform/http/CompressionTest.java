package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class CompressionTest extends HttpTest {
    private static final String REQUEST = """
            %s %s HTTP/1.1\r
            Host: api\r
            Accept-Encoding: %s\r
            Authorization: Bearer %s\r
            Connection: close\r
            \r
            """;

    private static final int LARGE_OBJECTIVES = 20;
    private static final String LONG_TEXT = "x".repeat(4_096);

    @ParameterizedTest
    @ValueSource(strings = {"/v1/objectives", "/v1/nothing", "/v1/objectives?page=0", "/nothing"})
    void responses_are_compressed_on_request(String path) throws IOException {
        var answer = send("GET", path, "gzip");
        assertThat(head(answer)).containsIgnoringCase("\r\ncontent-encoding: gzip");
        assertThat(gunzip(answer)).startsWith("{");
    }

    @Test
    void exports_are_compressed_on_request() throws IOException {
        var export = admin.header("Accept-Encoding", "gzip").get("/v1/export").is(200);
        assertThat(export.header("Content-Encoding")).hasValue("gzip");
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(export.bytes()))) {
            assertThat(new String(gzip.readAllBytes(), StandardCharsets.UTF_8))
                    .contains(acme.adminUser().email())
                    .endsWith("\n");
        }
        // The framework would compress with these on the event loop.
        for (var asked : new String[] {"identity", "deflate", "*", "x-gzip"}) {
            assertThat(admin.header("Accept-Encoding", asked)
                            .get("/v1/export")
                            .is(200)
                            .header("Content-Encoding"))
                    .isEmpty();
        }
    }

    /** The framework would compress with deflate on the event loop. */
    @Test
    void large_responses_are_compressed_only_with_gzip() throws IOException {
        var cycle = newCycle();
        for (int i = 0; i < LARGE_OBJECTIVES; i++) {
            var objective = Requests.objective(cycle);
            objective.put("description", LONG_TEXT);
            admin.post("/v1/objectives", objective).is(201);
        }
        var plain =
                admin.header("Accept-Encoding", "deflate").get("/v1/objectives").is(200);
        assertThat(plain.header("Content-Encoding")).isEmpty();
        assertThat(plain.ids()).hasSize(LARGE_OBJECTIVES);
        var compressed = send("GET", "/v1/objectives", "br, gzip");
        assertThat(head(compressed)).containsIgnoringCase("\r\ncontent-encoding: gzip");
        var body = compressed.substring(head(compressed).length() + 4).getBytes(StandardCharsets.ISO_8859_1);
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(body))) {
            assertThat(new String(gzip.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(plain.text());
        }
    }

    @Test
    void other_responses_are_not_compressed() {
        for (var asked : new String[] {"identity", "br", "gzip;q=0"}) {
            var answer = send("GET", "/v1/objectives", asked);
            assertThat(head(answer)).doesNotContainIgnoringCase("content-encoding");
            assertThat(answer).contains("{\"data\":[]");
        }
    }

    @Test
    void the_document_is_compressed_only_with_gzip() {
        assertThat(head(send("GET", "/q/openapi", "br, gzip;q=0.5")))
                .containsIgnoringCase("\r\ncontent-encoding: gzip");
        for (var asked : new String[] {"identity", "deflate", "gzip;q=0"}) {
            assertThat(head(send("GET", "/q/openapi", asked))).doesNotContainIgnoringCase("content-encoding");
        }
    }

    @Test
    void a_response_without_a_body_is_not_compressed() {
        assertThat(send("HEAD", "/v1/objectives", "gzip"))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("\r\n\r\n");
        assertThat(send("HEAD", "/v1/nothing", "gzip"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1", "/v1/users/me;x", "/q/../v1/users/me", "/v1//users/me"})
    void every_form_of_a_path_has_the_caching_headers(String path) {
        var head = head(RawHttp.send(service, "GET " + path + " HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n"));
        assertThat(head)
                .containsIgnoringCase("\r\ncache-control: no-store")
                .containsIgnoringCase("\r\nvary: Authorization, Accept-Encoding")
                .containsIgnoringCase("\r\nx-request-id: ");
        assertThat(head.toLowerCase(Locale.ROOT).split("\r\nvary:")).hasSize(2);
    }

    private String send(String method, String path, String acceptEncoding) {
        var token = acme.key(acme.viewerUser().uuid());
        return RawHttp.send(service, REQUEST.formatted(method, path, acceptEncoding, token));
    }

    private static String head(String answer) {
        return answer.substring(0, answer.indexOf("\r\n\r\n"));
    }

    private static String gunzip(String answer) throws IOException {
        var body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        // The body can be chunked. The magic bytes of gzip mark its start.
        body = body.substring(body.indexOf("\u001f\u008b"));
        var bytes = body.getBytes(StandardCharsets.ISO_8859_1);
        try (var gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(gzip.readNBytes(1), StandardCharsets.UTF_8);
        }
    }
}
