package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.Failure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class JsonBodyTest {
    @Test
    void a_retried_transaction_does_not_inherit_errors() {
        var bytes = "{\"title\": \"\", \"name\": \"Growth\"}".getBytes(StandardCharsets.UTF_8);
        var body = new JsonBody(StrictJson.read(bytes), bytes);
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
}
