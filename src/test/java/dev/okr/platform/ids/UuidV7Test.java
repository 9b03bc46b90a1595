package dev.okr.platform.ids;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidV7Test {
    private static final Instant MOMENT = Instant.parse("2026-01-31T09:30:00.123Z");
    private static final int MICROS = 2_000;

    @Test
    void ids_are_ordered_by_microsecond() {
        var before = UuidV7.at(MOMENT.minus(1, ChronoUnit.MICROS));
        for (int i = 0; i < MICROS; i++) {
            var id = UuidV7.at(MOMENT.plus(i, ChronoUnit.MICROS));
            assertThat(id.toString()).isGreaterThan(before.toString());
            assertThat(IdKind.EVENT.format(id)).isGreaterThan(IdKind.EVENT.format(before));
            before = id;
        }
    }

    @Test
    void ids_with_the_same_time_differ_in_their_random_bits() {
        var ids = new HashSet<UUID>();
        for (int i = 0; i < MICROS; i++) {
            var id = UuidV7.at(MOMENT);
            ids.add(id);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
            assertThat(id.getMostSignificantBits())
                    .isEqualTo(UuidV7.least(MOMENT).getMostSignificantBits());
        }
        assertThat(ids).hasSize(MICROS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1970-01-01T00:00:00.000001Z",
                "2026-01-31T09:30:00Z",
                "2026-01-31T09:30:00.000001Z",
                "2026-01-31T09:30:00.122999Z",
                "2026-01-31T09:30:00.999999Z",
                "9999-12-31T23:59:59.999999Z"
            })
    void the_lowest_id_of_a_time_separates_earlier_ids_from_others(String text) {
        var moment = Instant.parse(text);
        var least = UuidV7.least(moment);
        assertThat(least.version()).isEqualTo(7);
        assertThat(least.variant()).isEqualTo(2);
        for (int i = 0; i < 100; i++) {
            assertThat(UuidV7.at(moment).toString()).isGreaterThanOrEqualTo(least.toString());
            assertThat(UuidV7.at(moment.minus(1, ChronoUnit.MICROS)).toString()).isLessThan(least.toString());
        }
    }

    /** The database does not store nanoseconds. */
    @Test
    void a_time_is_truncated_to_the_microsecond() {
        assertThat(UuidV7.least(MOMENT.plusNanos(999))).isEqualTo(UuidV7.least(MOMENT));
        assertThat(UuidV7.least(MOMENT.plusNanos(1_000))).isNotEqualTo(UuidV7.least(MOMENT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z"})
    void times_before_1970_count_as_1970(String moment) {
        assertThat(UuidV7.least(Instant.parse(moment))).isEqualTo(UuidV7.least(Instant.EPOCH));
        assertThat(UuidV7.least(Instant.EPOCH)).hasToString("00000000-0000-7000-8000-000000000000");
    }
}
