package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest {
    private static final Instant NOW = Instant.parse("2027-01-04T09:00:00Z");

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "'  90 ', PT90S",
        "007, PT7S",
        "86400, PT24H",
        "86401, PT24H",
        "999999999, PT24H",
        "99999999999999999999999999, PT24H",
        "'Mon, 04 Jan 2027 09:01:00 GMT', PT1M",
        "'Tue, 05 Jan 2027 09:00:01 GMT', PT24H",
        "'Fri, 31 Dec 9999 23:59:59 GMT', PT24H",
        "'Mon, 04 Jan 2027 09:00:00 GMT', PT0S",
        "'Thu, 01 Jan 1970 00:00:00 GMT', PT0S",
    })
    void seconds_and_dates_are_limited_to_a_day(String value, Duration expected) {
        assertThat(RetryAfter.parse(value, NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "-1", "1.5", "soon", "٣", "1e3", "Mon, 04 Jan 2027", "2027-01-04T09:01:00Z", "5, 6"})
    void an_invalid_value_is_ignored(String value) {
        assertThat(RetryAfter.parse(value, NOW)).isNull();
    }

    @Test
    void a_delay_of_less_than_a_second_is_kept() {
        assertThat(RetryAfter.parse("Mon, 04 Jan 2027 09:00:01 GMT", NOW.plusMillis(400)))
                .isEqualTo(Duration.ofMillis(600));
    }
}
