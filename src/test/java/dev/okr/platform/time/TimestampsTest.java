package dev.okr.platform.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimestampsTest {

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T09:30:00Z, 2026-01-31T09:30:00Z",
        "2026-01-31t09:30:00z, 2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00+00:00, 2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00-00:00, 2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00+05:45, 2026-01-31T03:45:00Z",
        "2026-01-31T09:30:00-23:59, 2026-02-01T09:29:00Z",
        "2026-01-31T09:30:00.1Z, 2026-01-31T09:30:00.100Z",
        "2026-01-31T09:30:00.123456Z, 2026-01-31T09:30:00.123456Z",
        "2026-01-31T09:30:00.1234569Z, 2026-01-31T09:30:00.123456Z",
        "2026-01-31T09:30:00.99999999999999999999Z, 2026-01-31T09:30:00.999999Z",
        "1969-12-31T23:59:59.9999999Z, 1969-12-31T23:59:59.999999Z",
        "2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
        "0001-01-01T00:00:00Z, 0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z, 9999-12-31T23:59:59.999999Z",
        "0001-01-01T10:00:00+10:00, 0001-01-01T00:00:00Z"
    })
    void rfc_3339_is_parsed_to_the_microsecond(String text, Instant instant) {
        assertThat(Timestamps.parse(text)).contains(instant);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Z",
                "2026-01-31",
                "2026-01-31T09:30:00",
                "2026-01-31T09:30Z",
                "2026-01-31 09:30:00Z",
                "2026-1-31T09:30:00Z",
                "2026-02-29T09:30:00Z",
                "2026-04-31T09:30:00Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T09:60:00Z",
                "2026-12-31T23:59:60Z",
                "2026-01-31T09:30:00.Z",
                "2026-01-31T09:30:00,5Z",
                "2026-01-31T09:30:00+24:00",
                "2026-01-31T09:30:00+09:60",
                "2026-01-31T09:30:00+0900",
                "2026-01-31T09:30:00+9",
                "0001-01-01T00:00:00+00:01",
                "0000-01-01T00:00:00Z",
                "9999-12-31T23:59:59-00:01",
                "12026-01-31T09:30:00Z",
                "-2026-01-31T09:30:00Z",
                " 2026-01-31T09:30:00Z",
                "2026-01-31T09:30:00Z\n",
                "2026-01-31T09:30:00Z[UTC]",
                "२०२६-01-31T09:30:00Z"
            })
    void other_text_is_not_a_timestamp(String text) {
        assertThat(Timestamps.parse(text)).isEmpty();
    }

    @Test
    void a_very_long_fraction_is_not_a_timestamp() {
        assertThat(Timestamps.parse("2026-01-31T09:30:00." + "9".repeat(1_000_000) + 'Z'))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "2026-01-31T09:30:00Z, 2026-01-31T09:30:00Z",
        "2026-01-31T09:30:00.999999Z, 2026-01-31T09:30:00Z",
        "1969-12-31T23:59:59.999999Z, 1969-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z, 0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59.999999Z, 9999-12-31T23:59:59Z"
    })
    void timestamps_are_formatted_in_whole_seconds(Instant instant, String text) {
        assertThat(Timestamps.format(instant)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000-12-31T23:59:59Z", "+10000-01-01T00:00:00Z", "+258026-01-31T00:00:00Z"})
    void other_years_are_not_formatted(Instant instant) {
        assertThatThrownBy(() -> Timestamps.format(instant)).isInstanceOf(DateTimeException.class);
    }
}
