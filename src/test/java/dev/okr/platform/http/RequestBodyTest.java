package dev.okr.platform.http;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class RequestBodyTest extends HttpTest {
    private static final String CYCLES = "/v1/cycles";
    private static final String VALID = Json.write(Requests.cycle());
    private static final int MAX_BYTES = 1 << 20;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\n",
                "null",
                "true",
                "5",
                "\"text\"",
                "[]",
                "[{}]",
                "{",
                "}",
                "{]",
                "{}}",
                "{}{}",
                "{} {}",
                "{} x",
                "{},",
                "{\"name\"}",
                "{\"name\":}",
                "{\"name\":1,}",
                "{,}",
                "{\"name\":1 \"ends_at\":2}",
                "{name:1}",
                "{'name':1}",
                "{\"name\":'x'}",
                "{\"name\":tru}",
                "{\"name\":True}",
                "{\"name\":undefined}",
                "{\"name\":\"x}",
                "{\"name\":\"\\x\"}",
                "{\"name\":\"\\u12\"}",
                "{\"name\":\"a\nb\"}",
                "{\"name\":\"a\tb\"}",
                "{\"name\":\"a\u0000b\"}",
                "\u0000{}",
                "{}\u0000",
                "{} // comment",
                "/* comment */ {}",
                "# comment\n{}",
                "{\"name\":1,\"name\":2}",
                "{\"name\":1,\"n\\u0061me\":2}",
                "{\"x\":{\"a\":1,\"a\":1}}",
                "{\"x\":[{\"a\":1,\"a\":1}]}",
                "name=x",
                "<cycle/>"
            })
    void a_body_must_be_exactly_one_json_object_with_each_name_once(String body) {
        admin.post(CYCLES, body).isMalformed();
    }

    @Test
    void an_absent_body_is_malformed() {
        admin.post(CYCLES, null).isMalformed();
        admin.put(CYCLES + '/' + newCycle(), null).isMalformed();
        admin.header("Content-Type", "application/json").post(CYCLES, null).isMalformed();
    }

    @Test
    void a_body_may_have_at_most_32_levels() {
        admin.post(CYCLES, "{\"x\":" + "[".repeat(31) + "]".repeat(31) + "}")
                .isInvalid("/name required", "/starts_at required", "/ends_at required", "/x unknown_field");
        admin.post(CYCLES, "{\"x\":" + "[".repeat(32) + "]".repeat(32) + "}").isMalformed();
        admin.post(CYCLES, "{\"x\":".repeat(100_000)).isMalformed();
        admin.post(CYCLES, "[".repeat(500_000)).isMalformed();
    }

    @Test
    void a_body_may_have_at_most_25_000_names_values_and_brackets() {
        admin.post(CYCLES, "{\"x\":[" + "1,".repeat(20_000) + "1]}")
                .isInvalid("/name required", "/starts_at required", "/ends_at required", "/x unknown_field");
        admin.post(CYCLES, "{\"x\":[" + "1,".repeat(30_000) + "1]}").isMalformed();
    }

    @Test
    void a_body_must_be_utf_8() {
        var withName = VALID.replace("Q1 2099", "Ça 🎯");
        assertThat(admin.post(CYCLES, withName).is(201).text("name")).isEqualTo("Ça 🎯");
        admin.post(CYCLES, withName.getBytes(StandardCharsets.ISO_8859_1)).isMalformed();
        for (var charset : List.of("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")) {
            admin.post(CYCLES, withName.getBytes(Charset.forName(charset))).isMalformed();
        }
    }

    @Test
    void a_byte_order_mark_is_malformed() {
        admin.post(CYCLES, "\uFEFF" + VALID).isMalformed();
    }

    @Test
    void invalid_utf_8_is_malformed() {
        for (var broken : List.of(
                "\u00FF",
                "\u00C3",
                "\u00C0\u0080",
                "\u00ED\u00A0\u0080",
                "\u00ED\u00B0\u0080",
                "\u00F4\u0090\u0080\u0080",
                "\u00F0\u009F",
                "\u0080")) {
            var body = VALID.replace("Q1", broken).getBytes(StandardCharsets.ISO_8859_1);
            admin.post(CYCLES, body).isMalformed();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/json; charset=utf-8",
                "application/json;charset=UTF-8",
                "Application/JSON",
                "application/json; charset=\"utf-8\""
            })
    void a_body_is_sent_as_application_json(String type) {
        admin.header("Content-Type", type).post(CYCLES, VALID).is(201);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "text/json",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/octet-stream",
                "application/merge-patch+json",
                "application/problem+json",
                "application/json-patch+json"
            })
    void a_body_of_another_media_type_is_not_supported(String type) {
        admin.header("Content-Type", type).post(CYCLES, VALID).isProblem(415, "unsupported_media_type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "/", ";", "application/json, text/plain", "application/"})
    void an_invalid_media_type_is_refused(String type) {
        assertThat(admin.header("Content-Type", type).post(CYCLES, VALID).status())
                .isIn(400, 415);
    }

    @Test
    void a_body_without_a_media_type_is_not_supported() {
        var answer = RawHttp.send(
                service,
                "POST /v1/cycles HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(bearer(), VALID.length(), VALID));
        assertThat(answer).startsWith("HTTP/1.1 415 ").contains("unsupported_media_type");
    }

    @Test
    void a_body_of_1_mib_is_read_and_one_byte_more_is_too_large() {
        var filler = "{\"name\":\"" + "a".repeat(MAX_BYTES - 11) + "\"}";
        admin.post(CYCLES, filler).isInvalid("/name too_long", "/starts_at required", "/ends_at required");
        admin.post(CYCLES, filler + ' ').isProblem(413, "body_too_large");
        admin.put(CYCLES + "/nope", new byte[4 * MAX_BYTES]).isProblem(413, "body_too_large");
    }

    @Test
    void a_chunked_body_is_limited_as_well() {
        admin.postChunked(CYCLES, VALID.getBytes(StandardCharsets.UTF_8)).is(201);
        admin.postChunked(CYCLES, new byte[MAX_BYTES + 1]).isProblem(413, "body_too_large");
        admin.postChunked(CYCLES, new byte[20 * MAX_BYTES]).isProblem(413, "body_too_large");
    }

    @ParameterizedTest
    @ValueSource(longs = {99_999_999_999L, 8_000_000_000_000_000_000L})
    void a_body_with_a_large_content_length_is_refused_before_it_is_sent(long length) {
        var answer = RawHttp.send(service, """
                POST /v1/cycles HTTP/1.1\r
                Host: localhost\r
                Authorization: %s\r
                Content-Type: application/json\r
                Content-Length: %d\r
                \r
                {""".formatted(bearer(), length));
        assertThat(answer).startsWith("HTTP/1.1 413 ").contains("body_too_large");
    }

    @Test
    void errors_are_limited_and_their_pointers_are_escaped_and_short() {
        var body = new LinkedHashMap<String, Object>();
        for (int i = 0; i < 5000; i++) {
            body.put("field" + i, i);
        }
        var errors = admin.post(CYCLES, body)
                .isProblem(422, "validation_failed")
                .json()
                .get("errors");
        assertThat(errors).hasSizeBetween(100, 110);
        var batch = object("check_ins", Collections.nCopies(200, object("value", "x", "a", 1, "b", 2)));
        var codes = admin.post("/v1/check-ins/batch", batch)
                .isProblem(422, "validation_failed")
                .json()
                .get("errors")
                .findValuesAsText("code");
        assertThat(Collections.frequency(codes, "unknown_field")).isEqualTo(100);
        assertThat(Collections.frequency(codes, "invalid_type")).isEqualTo(200);
        admin.put(CYCLES + '/' + newCycle(), object("a/b", 1, "~", 2, "", 3, "é\u0007", 4))
                .isInvalid("/a~1b unknown_field", "/~0 unknown_field", "/ unknown_field", "/é\uFFFD unknown_field");
        var longName = admin.put(CYCLES + '/' + newCycle(), object("x".repeat(40_000), 1));
        assertThat(longName.isProblem(422, "validation_failed").text()).hasSizeLessThan(2_000);
    }

    @Test
    void an_unexpected_body_is_ignored() {
        var answer = RawHttp.send(
                service,
                "GET /v1/cycles HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Length: 1\r\n\r\n{"
                        .formatted(bearer()));
        assertThat(answer).startsWith("HTTP/1.1 200 ");
    }

    private String bearer() {
        return "Bearer " + acme.key(acme.adminUser().uuid());
    }
}
