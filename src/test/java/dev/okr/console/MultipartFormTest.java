package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.errors.Failure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MultipartFormTest {
    private static final Duration BOUNDED = Duration.ofSeconds(2);

    @Test
    void a_long_boundary_is_rejected_before_the_body_is_searched() {
        var boundary = "-".repeat(15_000) + "x";
        var head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n";
        var body = (head + "-".repeat(1_000_000)).getBytes(StandardCharsets.US_ASCII);
        var start = Instant.now();
        assertThatThrownBy(() -> MultipartForm.parse("multipart/form-data; boundary=" + boundary, body))
                .isInstanceOf(Failure.class);
        assertThat(Duration.between(start, Instant.now())).isLessThan(BOUNDED);
    }

    /** A page can show a field again, with six characters for each quotation mark. */
    @Test
    void long_text_fields_are_rejected() {
        var body = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + "\"".repeat(200_000) + "\r\n--b--\r\n";
        assertThatThrownBy(() -> MultipartForm.parse(
                        "multipart/form-data; boundary=b", body.getBytes(StandardCharsets.US_ASCII)))
                .hasMessageContaining("too large");
    }

    @Test
    void a_boundary_of_the_maximum_length_is_accepted() throws Exception {
        var boundary = "b".repeat(70);
        var body =
                "--%1$s\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--%1$s--\r\n".formatted(boundary);
        var form = MultipartForm.parse(
                "multipart/form-data; boundary=" + boundary, body.getBytes(StandardCharsets.US_ASCII));
        assertThat(form.value("a")).isEqualTo("value");
    }
}
