package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Base64;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {
    private static final UUID ID = UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-01-31T09:30:00.123456Z",
                "1969-12-31T23:59:59.999999Z",
                "0001-01-01T00:00:00Z",
                "9999-12-31T23:59:59.999999Z"
            })
    void a_formatted_cursor_is_parsed_to_the_same_cursor(Instant createdAt) {
        var cursor = new Cursor(2, createdAt, ID);
        assertThat(Cursor.parse(cursor.format())).isEqualTo(cursor);
        assertThat(cursor.format()).matches("[A-Za-z0-9_-]+");
        assertThat(new Cursor(Integer.MAX_VALUE, createdAt, ID).format())
                .satisfies(text -> assertThat(Cursor.parse(text)).isNotNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "====", "AAAA", "é", " ", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void other_text_is_not_a_cursor(String text) {
        assertThat(Cursor.parse(text)).isNull();
    }

    @Test
    void a_cursor_with_an_impossible_page_or_time_is_invalid() {
        assertThat(Cursor.parse(new Cursor(1, Instant.EPOCH, ID).format())).isNull();
        assertThat(Cursor.parse(new Cursor(-2, Instant.EPOCH, ID).format())).isNull();
        assertThat(Cursor.parse(new Cursor(2, Instant.parse("0000-06-01T00:00:00Z"), ID).format()))
                .isNull();
        assertThat(Cursor.parse(new Cursor(2, Instant.parse("+10000-01-01T00:00:00Z"), ID).format()))
                .isNull();
    }

    @Test
    void random_bytes_never_make_the_parser_fail() {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            var bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            Cursor.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
        }
    }
}
