package dev.okr.platform.http;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class ProblemTest extends HttpTest {

    @Test
    void a_problem_describes_the_error() {
        var problem = viewer.header("X-Request-Id", "my-request-1")
                .get("/v1/cycles/cyc_nope")
                .isNotFound();
        assertThat(problem.text()).isEqualTo("""
                        {"type":"/problems/not_found","title":"The resource does not exist","status":404,\
                        "detail":"No such cycle.","instance":"/v1/cycles/cyc_nope","code":"not_found",\
                        "request_id":"my-request-1"}""");
    }

    @Test
    void a_wrong_field_has_a_pointer_a_code_and_a_detail() {
        var problem = member.post("/v1/alignments", object("parent_objective_id", 5, "child_objective_id", "x"));
        problem.isInvalid("/parent_objective_id invalid_type", "/child_objective_id unknown_reference");
        var error = problem.json().get("errors").get(0);
        assertThat(error.toString()).isEqualTo("""
                        {"pointer":"/parent_objective_id","code":"invalid_type","detail":"This field must be a string."}""");
        assertThat(problem.detail()).isEqualTo("2 fields are not valid.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1",
                "/v1/",
                "/v1/nothing",
                "/v1/objectives/x/key-results/y/z",
                "/v1/key-results/kr_x",
                "/v1/check-ins/x",
                "/v2/objectives",
                "/objectives",
                "/nothing",
                "/v1x",
                "/v1/users/me/x",
                "/V1/objectives"
            })
    void an_unknown_path_is_a_problem(String path) {
        var answer = admin.get(path).isNotFound();
        assertThat(answer.header("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.json().get("instance").textValue()).isEqualTo(path);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT    | /v1/objectives                | GET, HEAD, POST",
                "DELETE | /v1/objectives                | GET, HEAD, POST",
                "POST   | /v1/objectives/x              | DELETE, GET, HEAD, PATCH, PUT",
                "PATCH  | /v1/key-results               | GET, HEAD",
                "POST   | /v1/key-results/x             | DELETE, GET, HEAD, PATCH, PUT",
                "GET    | /v1/check-ins/batch           | POST",
                "PATCH  | /v1/cycles                    | GET, HEAD, POST",
                "POST   | /v1/cycles/x                  | DELETE, GET, HEAD, PATCH, PUT",
                "PUT    | /v1/objectives/x/key-results  | GET, HEAD, POST",
                "POST   | /v1/objectives/x/key-results/y | DELETE, GET, HEAD, PATCH, PUT",
                "PUT    | /v1/key-results/x/check-ins   | GET, HEAD, POST",
                "GET    | /v1/key-results/x/check-ins/y | DELETE, PATCH, PUT",
                "PUT    | /v1/alignments                | GET, HEAD, POST",
                "GET    | /v1/alignments/x              | DELETE, PATCH, PUT",
                "POST   | /v1/deleted-objectives        | GET, HEAD",
                "GET    | /v1/deleted-objectives/x/restore | POST",
                "PATCH  | /v1/teams                     | GET, HEAD, POST",
                "POST   | /v1/teams/x                   | DELETE, GET, HEAD, PATCH, PUT",
                "POST   | /v1/teams/x/objectives        | GET, HEAD",
                "DELETE | /v1/users                     | GET, HEAD, POST",
                "POST   | /v1/users/me                  | GET, HEAD, PATCH, PUT",
                "POST   | /q/openapi                    | GET, HEAD",
                "DELETE | /q/openapi.json               | GET, HEAD"
            })
    void a_method_that_a_resource_does_not_have_is_not_allowed(String method, String path, String allow) {
        var answer = admin.send(method, path, method.equals("GET") || method.equals("DELETE") ? null : "{}");
        assertThat(answer.isProblem(405, "method_not_allowed").header("Allow")).hasValue(allow);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*/*",
                "application/json",
                "application/*",
                "text/html, */*;q=0.1",
                "application/json;q=0.5, text/plain",
                ""
            })
    void a_request_that_accepts_json_gets_json(String accept) {
        assertThat(viewer.header("Accept", accept)
                        .get("/v1/cycles")
                        .is(200)
                        .header("Content-Type")
                        .orElseThrow())
                .startsWith("application/json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html",
                "application/xml",
                "text/*",
                "application/problem+json",
                "application/jsonx",
                "image/png, text/html;q=0.5"
            })
    void a_request_that_does_not_accept_json_is_refused(String accept) {
        viewer.header("Accept", accept).get("/v1/cycles").isProblem(406, "not_acceptable");
        member.header("Accept", accept).post("/v1/objectives", object()).isProblem(406, "not_acceptable");
    }

    @Test
    void a_request_with_a_refused_accept_header_changes_nothing() {
        admin.header("Accept", "text/html").post("/v1/cycles", Requests.cycle()).isProblem(406, "not_acceptable");
        assertThat(viewer.get("/v1/cycles").ids()).isEmpty();
    }

    @Test
    void head_responds_like_get_without_a_body() {
        var path = "/v1/cycles/" + newCycle();
        var head = viewer.send("HEAD", path, null).is(200);
        assertThat(head.bytes()).isEmpty();
        assertThat(head.header("Content-Type")).isEqualTo(viewer.get(path).header("Content-Type"));
        viewer.send("HEAD", "/v1/cycles/nope", null).is(404);
        stranger().send("HEAD", path, null).is(401);
    }

    @Test
    void a_request_id_of_visible_ascii_is_used() {
        for (var id : List.of("1", "a".repeat(128), "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~")) {
            assertThat(viewer.header("X-Request-Id", id).get("/v1/cycles").header("X-Request-Id"))
                    .hasValue(id);
            assertThat(stranger()
                            .header("X-Request-Id", id)
                            .get("/v1/cycles")
                            .json()
                            .get("request_id")
                            .textValue())
                    .isEqualTo(id);
        }
    }

    @Test
    void another_request_id_is_replaced() {
        var made = new ArrayList<String>();
        for (var id : List.of("a".repeat(129), "a b", "a\tb", "")) {
            var answer = viewer.header("X-Request-Id", id).get("/v1/cycles/nope");
            made.add(answer.header("X-Request-Id").orElseThrow());
        }
        made.add(viewer.get("/v1/cycles").header("X-Request-Id").orElseThrow());
        made.add(stranger().get("/nothing").header("X-Request-Id").orElseThrow());
        made.add(stranger().get("/q/health/live").header("X-Request-Id").orElseThrow());
        assertThat(made).doesNotHaveDuplicates().allMatch(id -> id.matches("[!-~]{8,128}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "malformed_request",
                "unauthenticated",
                "plan_required",
                "insufficient_scope",
                "forbidden",
                "not_found",
                "method_not_allowed",
                "not_acceptable",
                "request_timeout",
                "conflict",
                "precondition_failed",
                "body_too_large",
                "unsupported_media_type",
                "validation_failed",
                "rate_limited",
                "internal_error",
                "unavailable"
            })
    void the_type_of_a_problem_is_the_path_of_a_page_about_it(String code) {
        var page = stranger()
                .header("Accept", "text/html")
                .get("/problems/" + code)
                .is(200);
        assertThat(page.header("Content-Type").orElseThrow()).startsWith("text/html");
        assertThat(page.text()).contains("<code>" + code + "</code>");
    }

    @Test
    void there_is_no_page_about_an_unknown_problem() {
        var browser = stranger().header("Accept", "text/html");
        browser.get("/problems/nope").is(404);
        browser.get("/problems").is(404);
        browser.get("/problems/Not_Found").is(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/cycles/%c3%28", "/v1/cycles/%ed%a0%80", "/v1/cycles/%00", "/v1/cycles?title=%ff"})
    void a_path_that_is_not_utf_8_is_a_problem(String path) {
        assertThat(get(path, "")).matches("(?s)HTTP/1.1 (400|404) .*application/problem\\+json.*");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/cycles/%", "/v1/cycles/%zz", "/v1/cycles?page=%", "/v1/cycles?%zz=1", "/v1/a b"})
    void an_invalid_escape_is_a_client_error(String path) {
        // The framework responds before the service's code runs.
        assertThat(get(path, "")).matches("(?s)HTTP/1.[01] 400 .*");
    }

    @Test
    void a_request_id_outside_ascii_is_replaced() {
        assertThat(get("/v1/cycles", "X-Request-Id: caf\u00E9\r\n"))
                .matches("(?s)HTTP/1.1 200 .*X-Request-Id: [0-9a-f-]{36}\r.*");
    }

    @Test
    void a_request_id_with_an_api_key_is_replaced() {
        var key = acme.key(acme.adminUser().uuid());
        assertThat(get("/v1/" + key, "X-Request-Id: a-%s\r\n".formatted(key)))
                .matches("(?s)HTTP/1.1 404 .*X-Request-Id: [0-9a-f-]{36}\r.*")
                .doesNotContain(key);
    }

    private String get(String path, String headers) {
        return RawHttp.send(
                service,
                "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n"
                        .formatted(path, acme.key(acme.adminUser().uuid()), headers));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/cycles/", "/v1//cycles", "//v1/cycles", "/v1/./cycles", "/v1/x/../cycles", "/v1/cycles;x=y"
            })
    void another_spelling_of_a_path_is_not_found(String path) {
        assertThat(RawHttp.send(
                        service,
                        "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                                .formatted(path, acme.key(acme.viewerUser().uuid()))))
                .startsWith("HTTP/1.1 404 ")
                .contains("\"code\":\"not_found\"");
    }

    @Test
    void swagger_ui_cannot_be_framed() {
        assertThat(RawHttp.send(service, "GET /q/swagger-ui/ HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("frame-ancestors 'none'")
                .containsIgnoringCase("x-content-type-options: nosniff");
    }
}
