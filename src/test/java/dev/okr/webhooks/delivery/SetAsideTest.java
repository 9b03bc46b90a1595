package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Metrics;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** An event that cannot be fanned out. A trigger refuses the deliveries of its type. */
@QuarkusTest
@Tag("waits")
@DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "has no triggers")
class SetAsideTest extends DeliveryScenario {
    private static final Duration FAST = Duration.ofSeconds(5);
    private static final String REFUSED = "objective.created";

    @BeforeEach
    void refuse() {
        TestDatabase.execute("""
                CREATE FUNCTION refuse_delivery() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF (SELECT type FROM event WHERE organization_id = NEW.organization_id AND id = NEW.event_id)
                            = 'objective.created' THEN
                        RAISE 'a test';
                    END IF;
                    RETURN NEW;
                END $$
                """);
        TestDatabase.execute("CREATE TRIGGER refuse_delivery BEFORE INSERT ON delivery"
                + " FOR EACH ROW EXECUTE FUNCTION refuse_delivery()");
    }

    @AfterEach
    void accept() {
        TestDatabase.execute("DROP FUNCTION IF EXISTS refuse_delivery CASCADE");
    }

    @Test
    void an_event_that_cannot_be_fanned_out_is_set_aside_and_later_events_go_on() {
        var receiver = receiver();
        subscribe(receiver, REFUSED, "cycle.created");
        newObjective();
        // The cycle of the objective is the first.
        newCycle();
        receiver.await(2);
        await(() -> setAside() == 1, () -> "the event to be set aside");

        var start = Instant.now();
        newCycle();
        receiver.await(3);
        assertThat(Duration.between(start, Instant.now())).isLessThan(FAST);
        await(
                () -> Metrics.of(service)
                                .samples("okr_webhook_events_set_aside")
                                .getFirst()
                                .value()
                        == 1,
                () -> "the metric");

        accept();
        TestDatabase.execute("UPDATE outbox SET failures = 0 WHERE organization_id = ?", acme.id());
        assertThat(receiver.await(4))
                .anySatisfy(request -> assertThat(text(body(request), "type")).isEqualTo(REFUSED));
    }

    private long setAside() {
        return TestDatabase.count(
                "SELECT count(*) FROM outbox WHERE organization_id = ? AND failures >= ?",
                acme.id(),
                FanOut.MAX_FAILURES);
    }
}
