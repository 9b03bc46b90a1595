package dev.okr.platform.ids;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database function {@code uuid_v7} generates the same ids as {@link UuidV7}. */
@QuarkusTest
class DatabaseUuidTest extends HttpTest {
    /** The half of an id that depends on the time. */
    private static final int PREFIX = "00000000-0000-7000".length();

    private static final int MICROS = 1_000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1970-01-01T00:00:00Z",
                "2026-01-31T09:30:00.000001Z",
                "2026-01-31T09:30:00.123456Z",
                "2026-01-31T09:30:00.999999Z",
                "9999-12-31T23:59:59.999999Z"
            })
    void ids_with_the_same_time_start_with_the_same_bits(String text) {
        var moment = Instant.parse(text);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM uuid_v7(?) AS id WHERE left(id::text, ?) = ?",
                        moment.atOffset(ZoneOffset.UTC),
                        PREFIX,
                        prefix(moment)))
                .isOne();
    }

    @Test
    void java_and_the_database_agree_on_all_microseconds() {
        var moment = Instant.parse("2026-01-31T09:30:00.123Z");
        var expected = new String[MICROS];
        for (int i = 0; i < MICROS; i++) {
            expected[i] = prefix(moment.plus(i, ChronoUnit.MICROS));
        }
        assertThat(TestDatabase.count("""
                        SELECT count(*) FROM unnest(?::text[]) WITH ORDINALITY AS e (prefix, number)
                        WHERE left(uuid_v7(?::timestamptz + (number - 1) * interval '1 microsecond')::text, ?) = prefix
                        """, expected, moment.atOffset(ZoneOffset.UTC), PREFIX))
                .isEqualTo(MICROS);
    }

    @Test
    void ids_with_the_same_time_differ_and_have_version_7() {
        assertThat(TestDatabase.count("""
                        SELECT count(DISTINCT id) FROM (SELECT uuid_v7(now()) AS id FROM generate_series(1, 1000)) AS t
                        WHERE id::text ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
                        """)).isEqualTo(1_000);
    }

    private static String prefix(Instant moment) {
        return UuidV7.least(moment).toString().substring(0, PREFIX);
    }
}
