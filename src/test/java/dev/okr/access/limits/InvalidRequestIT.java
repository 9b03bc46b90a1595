package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that the HTTP decoder refuses, before the service has a request. */
@QuarkusIntegrationTest
class InvalidRequestIT extends HttpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Test
    void a_request_line_that_is_too_long_is_a_problem() throws Exception {
        assertThat(answer("GET /v1/users?x=" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: okr\r\n\r\n"))
                .startsWith("HTTP/1.0 414 ")
                .containsIgnoringCase("content-type: application/problem+json")
                .containsIgnoringCase("connection: close")
                .contains("\"code\":\"uri_too_long\"", "\"status\":414", "\"request_id\":\"");
    }

    @Test
    void headers_that_are_too_large_are_a_problem() throws Exception {
        assertThat(answer("GET /v1/users HTTP/1.1\r\nHost: okr\r\nX-Large: " + "x".repeat(100_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ")
                .containsIgnoringCase("\r\ncache-control: no-store")
                .contains("\"code\":\"headers_too_large\"");
    }

    @Test
    void too_many_headers_are_a_problem() throws Exception {
        assertThat(answer("GET /v1/users HTTP/1.1\r\nHost: okr\r\n" + "a: b\r\n".repeat(150) + "\r\n"))
                .startsWith("HTTP/1.1 431 ")
                .contains("\"code\":\"headers_too_large\"");
    }

    /** The framework would keep such texts in memory. */
    @Test
    void media_types_that_are_too_long_are_a_problem() throws Exception {
        assertThat(answer("GET /problems/not_found HTTP/1.1\r\nHost: okr\r\nAccept: text/html" + ";aa".repeat(400)
                        + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 ")
                .contains("\"code\":\"headers_too_large\"");
    }

    @Test
    void too_many_headers_get_431_before_the_head_ends() throws Exception {
        assertThat(answer("GET /v1/users HTTP/1.1\r\nHost: okr\r\n" + "a:\r\n".repeat(150)))
                .startsWith("HTTP/1.1 431 ")
                .contains("\"code\":\"headers_too_large\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/users\r\n\r\n",
                "GET /v1/users HTTP/1.1\r\nHost: okr\r\nno colon\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nContent-Length: x\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nContent-Length: -1\r\n\r\n",
                "POST /v1/cycles HTTP/1.1\r\nHost: okr\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
            })
    void a_malformed_request_is_a_problem(String request) throws Exception {
        assertThat(answer(request)).contains(" 400 Bad Request", "\"code\":\"malformed_request\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/cycles?%",
                "/v1/cycles?a=b&%zz=1",
                "/v1/cycles?a=%f",
                "/v1/cycles?page=1&q=%e2%8",
                "/v1/cycles?a=%%20",
                "/%",
                "/%zz",
                "/v1/%zz",
                "/v1/cycles/%",
                "/v1/cycles/%zz",
                "/v1/cycles/%e2%8",
                "/q/%",
                "/settings/%zz",
                "/mcp/%zz",
                "/v1/cycles?q=<",
                "/v1/cycles?q=\"{}|\\^`",
                "/v1/cycles?q=\u0001",
                "/v1/cycles/<",
                "/q/<",
                "/settings/<",
                "/mcp<",
                "//[/v1",
                "127.0.0.1:443",
            })
    void an_address_that_cannot_be_decoded_is_a_problem(String address) throws Exception {
        assertThat(answer("GET " + address + " HTTP/1.1\r\nHost: okr\r\n\r\n"))
                .startsWith("HTTP/1.1 400 ")
                .containsIgnoringCase("content-type: application/problem+json")
                .contains("\"code\":\"malformed_request\"", "\"request_id\":\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: \"chunked\"",
                "Host: other",
                "X-Forwarded-For: ,",
            })
    void the_body_of_a_refused_request_is_not_the_next_request(String header) throws Exception {
        var next = "GET /v1/users/me HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n\r\n"
                .formatted(acme.key(acme.adminUser().uuid()));
        assertThat(answer("POST /v1/cycles HTTP/1.1\r\nHost: okr\r\n" + header + "\r\n\r\n" + next))
                .startsWith("HTTP/1.1 400 ")
                .contains("\"code\":\"malformed_request\"")
                .containsOnlyOnce("HTTP/1.1 ");
    }

    /** All bytes until the service closes the connection. */
    private String answer(String request) throws IOException {
        try (var socket = new Socket(service.getHost(), service.getPort())) {
            socket.setSoTimeout((int) TIMEOUT.toMillis());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
