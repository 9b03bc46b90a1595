package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBodyTest {

    @Test
    void every_kind_of_value_is_parsed() {
        var read = read("{\"s\": \"a\\u0000\", \"n\": -1.50E+2, \"t\": true, \"f\": false, \"z\": null, \"a\": [1, []],"
                + " \"o\": {\"x\": \"y\"}}");
        assertThat(read.members())
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "s", new JsonValue.Text("a\u0000"),
                        "n", new JsonValue.Number("-1.50E+2"),
                        "t", new JsonValue.Bool(true),
                        "f", new JsonValue.Bool(false),
                        "z", new JsonValue.Null(),
                        "a", new JsonValue.Array(List.of(new JsonValue.Number("1"), new JsonValue.Array(List.of()))),
                        "o", new JsonValue.Object(Map.of("x", new JsonValue.Text("y")))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "1",
                "{",
                "{}x",
                "{}{}",
                "{\"a\":1,\"a\":1}",
                "{\"a\":NaN}",
                "{\"a\":01}",
                "\uFEFF{}",
                "{'a':1}"
            })
    void anything_but_one_object_is_malformed(String text) {
        assertThatThrownBy(() -> read(text))
                .isInstanceOfSatisfying(
                        Failure.class, failure -> assertThat(failure.code()).isEqualTo(ErrorCode.MALFORMED_REQUEST));
    }

    @Test
    @Timeout(5)
    void a_number_as_long_as_a_body_is_parsed() {
        assertThat(read("{\"n\":" + "9".repeat(1_000_000) + "}").members()).hasSize(1);
        assertThat(read("{\"n\":1e" + "9".repeat(1_000_000) + "}").members()).hasSize(1);
    }

    @Test
    void an_error_does_not_quote_the_body() {
        assertThatThrownBy(() -> read("{\"a\": secret-token }")).hasMessageNotContaining("secret");
    }

    @Test
    void a_retried_transaction_does_not_inherit_errors() {
        var body = read("{\"title\": \"\", \"name\": \"Growth\"}");
        body.reader().requiredTitle("title");

        var second = body.reader();
        assertThat(second.isSound("title")).isTrue();
        assertThat(second.requiredTitle("name")).isEqualTo("Growth");
        assertThatThrownBy(second::verify)
                .isInstanceOfSatisfying(
                        Failure.class,
                        failure -> assertThat(failure.errors()).singleElement().satisfies(error -> {
                            assertThat(error.pointer()).isEqualTo("/title");
                            assertThat(error.code()).isEqualTo("unknown_field");
                        }));
    }

    private static JsonBody read(String text) {
        return JsonBody.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
