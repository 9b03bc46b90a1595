package dev.okr.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.http.Sort.Column;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CursorTest {
    private static final Sort TITLE = new Sort(Column.TITLE, false);
    private static final Sort PROGRESS = new Sort(Column.PROGRESS, true);
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
        var cursor = new Cursor(2, Sort.NEWEST, createdAt, ID);
        assertThat(Cursor.parse(cursor.format(), Sort.NEWEST)).isEqualTo(cursor);
        assertThat(cursor.format()).matches("[A-Za-z0-9_-]+");
        assertThat(new Cursor(Integer.MAX_VALUE, Sort.NEWEST, createdAt, ID).format())
                .satisfies(text -> assertThat(Cursor.parse(text, Sort.NEWEST)).isNotNull());
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "====", "AAAA", "é", " ", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
    void other_text_is_not_a_cursor(String text) {
        assertThat(Cursor.parse(text, Sort.NEWEST)).isNull();
    }

    static Stream<Cursor> cursorsOfOtherOrders() {
        return Stream.of(
                new Cursor(2, TITLE, "", ID),
                new Cursor(2, TITLE, "a=b, ü 🎯", ID),
                new Cursor(2, TITLE, "🎯".repeat(250), ID),
                new Cursor(3, PROGRESS, new BigDecimal("0.3333"), ID),
                new Cursor(3, new Sort(Column.UPDATED_AT, false), Instant.parse("2026-01-31T09:30:00.123456Z"), ID));
    }

    @ParameterizedTest
    @MethodSource("cursorsOfOtherOrders")
    void a_cursor_belongs_to_one_order(Cursor cursor) {
        assertThat(Cursor.parse(cursor.format(), cursor.sort())).isEqualTo(cursor);
        var opposite = new Sort(cursor.sort().column(), !cursor.sort().descending());
        assertThat(Cursor.parse(cursor.format(), opposite)).isNull();
        assertThat(Cursor.parse(cursor.format(), Sort.NEWEST)).isNull();
    }

    @Test
    void a_cursor_with_an_impossible_value_is_invalid() {
        assertThat(Cursor.parse(new Cursor(2, TITLE, "a\u0000", ID).format(), TITLE))
                .isNull();
        assertThat(Cursor.parse(new Cursor(2, TITLE, "a".repeat(251), ID).format(), TITLE))
                .isNull();
        assertThat(Cursor.parse(new Cursor(2, PROGRESS, new BigDecimal("1E+2"), ID).format(), PROGRESS))
                .isNull();
    }

    @Test
    void a_cursor_with_an_impossible_page_page_or_time_is_invalid() {
        assertThat(Cursor.parse(new Cursor(1, Sort.NEWEST, Instant.EPOCH, ID).format(), Sort.NEWEST))
                .isNull();
        assertThat(Cursor.parse(new Cursor(-2, Sort.NEWEST, Instant.EPOCH, ID).format(), Sort.NEWEST))
                .isNull();
        assertThat(Cursor.parse(
                        new Cursor(2, Sort.NEWEST, Instant.parse("0000-06-01T00:00:00Z"), ID).format(), Sort.NEWEST))
                .isNull();
        assertThat(Cursor.parse(
                        new Cursor(2, Sort.NEWEST, Instant.parse("+10000-01-01T00:00:00Z"), ID).format(), Sort.NEWEST))
                .isNull();
    }

    @Test
    void random_bytes_never_make_the_parser_fail() {
        var random = new Random(1);
        var sorts = List.of(Sort.NEWEST, TITLE, PROGRESS, new Sort(Column.UPDATED_AT, false));
        for (int i = 0; i < 10_000; i++) {
            var bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            Cursor.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes), sorts.get(i % sorts.size()));
        }
    }
}
