package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class SetValuesTest extends HttpTest {
    private static final Instant QUARTER = Instant.parse("2026-01-05T09:00:00Z");

    @Inject
    CurrentTenant tenant;

    /** A value at the start of a quarter stays, because a history can have a point there. */
    @Test
    void from_100_values_on_each_quarter_of_an_hour_keeps_its_last_value() {
        var keyResult = IdKind.KEY_RESULT.require(newKeyResult(newObjective(), 0, 10));
        for (int hour = 1; hour <= 100; hour++) {
            add(keyResult, QUARTER.minus(Duration.ofHours(hour)));
        }
        for (int minute : List.of(0, 1, 2, 14, 15, 16, 29, 31)) {
            add(keyResult, QUARTER.plus(Duration.ofMinutes(minute)));
        }
        assertThat(count(keyResult, QUARTER.minus(Duration.ofDays(30)))).isEqualTo(105);
        for (int minute : List.of(0, 14, 15, 29, 31)) {
            assertThat(TestDatabase.count(
                            "SELECT count(*) FROM key_result_value WHERE key_result_id = ? AND set_at = ?",
                            keyResult,
                            QUARTER.plus(Duration.ofMinutes(minute)).atOffset(ZoneOffset.UTC)))
                    .isOne();
        }
    }

    @Test
    void fewer_values_all_stay() {
        var keyResult = IdKind.KEY_RESULT.require(newKeyResult(newObjective(), 0, 10));
        for (int second = 0; second < 100; second++) {
            add(keyResult, QUARTER.plus(Duration.ofSeconds(second)));
        }
        assertThat(count(keyResult, QUARTER)).isEqualTo(100);
    }

    private void add(UUID keyResult, Instant at) {
        tenant.bind(acme.id());
        QuarkusTransaction.requiringNew().run(() -> SetValues.add(keyResult, at, BigDecimal.ONE));
    }

    private static long count(UUID keyResult, Instant since) {
        return TestDatabase.count(
                "SELECT count(*) FROM key_result_value WHERE key_result_id = ? AND set_at >= ?",
                keyResult,
                since.atOffset(ZoneOffset.UTC));
    }
}
