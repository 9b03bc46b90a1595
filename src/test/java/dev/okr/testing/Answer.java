package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** A response of the service. */
public final class Answer {
    private final String request;
    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;

    Answer(String request, HttpResponse<byte[]> response) {
        this.request = request;
        this.status = response.statusCode();
        this.headers = response.headers();
        this.body = response.body();
    }

    public int status() {
        return status;
    }

    public HttpHeaders headers() {
        return headers;
    }

    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    public byte[] bytes() {
        return body.clone();
    }

    /** The exact text of the body. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    public JsonNode json() {
        return Json.read(body);
    }

    /** The data in the envelope. */
    public JsonNode data() {
        return json().get("data");
    }

    public JsonNode meta() {
        return json().get("meta");
    }

    public String id() {
        return text("id");
    }

    public String text(String field) {
        return data().required(field).textValue();
    }

    public BigDecimal number(String field) {
        return data().required(field).decimalValue();
    }

    /** The ids of a list, in its order. */
    public List<String> ids() {
        return StreamSupport.stream(data().spliterator(), false)
                .map(item -> item.required("id").textValue())
                .toList();
    }

    public Answer is(int expected) {
        assertThat(status).as(this::toString).isEqualTo(expected);
        return this;
    }

    /** Expects a problem. {@link Contract} compares the body with the status and the path. */
    public Answer isProblem(int expected, String code) {
        is(expected);
        assertThat(json().path("code").textValue()).as(this::toString).isEqualTo(code);
        return this;
    }

    public Answer isNotFound() {
        return isProblem(404, "not_found");
    }

    public Answer isMalformed() {
        return isProblem(400, "malformed_request");
    }

    /** Expects exactly these wrong fields, each as pointer and code such as {@code /title required}. */
    public Answer isInvalid(String... pointersAndCodes) {
        isProblem(422, "validation_failed");
        var errors = StreamSupport.stream(json().required("errors").spliterator(), false)
                .map(error -> error.get("pointer").textValue()
                        + ' '
                        + error.get("code").textValue());
        assertThat(errors).as(this::toString).containsExactlyInAnyOrder(pointersAndCodes);
        return this;
    }

    public String detail() {
        return json().required("detail").textValue();
    }

    @Override
    public String toString() {
        return request + " → " + status + ' ' + text();
    }
}
