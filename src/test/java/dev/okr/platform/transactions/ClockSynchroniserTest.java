package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.okr.platform.time.UtcClock;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database of the tests runs on the same machine, so its clock is the clock of the test. */
@QuarkusTest
class ClockSynchroniserTest {
    @Inject
    DataSource database;

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "-PT2S"})
    void a_replica_whose_machine_has_a_wrong_clock_uses_the_time_of_the_database(Duration error) {
        var clock = new UtcClock() {
            @Override
            public Instant now() {
                return super.now().plus(error);
            }
        };
        new ClockSynchroniser(database, new DatabaseClock(database, clock), clock, true).synchronise();
        assertThat(clock.now()).isCloseTo(Instant.now(), within(1, ChronoUnit.SECONDS));
    }
}
