package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Metrics;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * An event that cannot be fanned out. A trigger refuses the deliveries of its type. The packaged service has the
 * timeouts of production.
 */
@QuarkusIntegrationTest
@Tag("waits")
@DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "has no triggers")
class SetAsideIT extends DeliveryScenario {
    private static final Duration FAST = Duration.ofSeconds(5);
    private static final String REFUSED = "objective.created";

    /** @param failure what the trigger does, in PL/pgSQL */
    private static void refuse(String failure) {
        TestDatabase.execute("""
                CREATE FUNCTION refuse_delivery() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF (SELECT type FROM event WHERE organization_id = NEW.organization_id AND id = NEW.event_id)
                            = 'objective.created' THEN
                        %s;
                    END IF;
                    RETURN NEW;
                END $$
                """.formatted(failure));
        TestDatabase.execute("CREATE TRIGGER refuse_delivery BEFORE INSERT ON delivery"
                + " FOR EACH ROW EXECUTE FUNCTION refuse_delivery()");
    }

    @AfterEach
    void accept() {
        // The service inserts deliveries meanwhile, so this can end in a deadlock.
        for (int tries = 1; ; tries++) {
            try {
                TestDatabase.execute("DROP FUNCTION IF EXISTS refuse_delivery CASCADE");
                return;
            } catch (IllegalStateException e) {
                if (tries == 5) {
                    throw e;
                }
            }
        }
    }

    @Test
    void an_event_that_cannot_be_fanned_out_is_set_aside_and_later_events_go_on() {
        refuse("RAISE 'a test'");
        var receiver = receiver();
        subscribe(receiver, REFUSED, "cycle.created");
        newObjective();
        // The cycle of the objective is the first.
        newCycle();
        receiver.await(2);
        await(
                () -> {
                    retryNow();
                    return setAside() == 1;
                },
                () -> "the event to be set aside");

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
        retryNow();
        assertThat(receiver.await(4))
                .anySatisfy(request -> assertThat(text(body(request), "type")).isEqualTo(REFUSED));
    }

    @Test
    void later_events_go_on_while_the_fan_out_of_an_event_takes_too_long() {
        refuse("PERFORM pg_sleep(30)");
        var receiver = receiver();
        subscribe(receiver, REFUSED, "cycle.created");
        newObjective();
        receiver.await(1);
        newCycle();
        receiver.await(2);
        await(() -> failed(1) == 1, () -> "the failure to be counted");

        accept();
        retryNow();
        receiver.await(3);
    }

    @Test
    void a_conflict_is_not_counted() {
        refuse("RAISE 'a test' USING ERRCODE = '40P01'");
        var receiver = receiver();
        subscribe(receiver, REFUSED, "cycle.created");
        newObjective();
        await(
                () -> TestDatabase.count(
                                "SELECT count(*) FROM outbox WHERE organization_id = ? AND retry_at IS NOT NULL",
                                acme.id())
                        == 1,
                () -> "the event to be postponed");
        assertThat(failed(1)).isZero();
        accept();
        retryNow();
        receiver.await(2);
    }

    /** Does not wait for the delay. */
    private void retryNow() {
        TestDatabase.execute("UPDATE outbox SET retry_at = now() WHERE organization_id = ?", acme.id());
    }

    private long setAside() {
        return failed(FanOut.MAX_FAILURES);
    }

    /** The events that failed at least this often. */
    private long failed(int times) {
        return TestDatabase.count(
                "SELECT count(*) FROM outbox WHERE organization_id = ? AND failures >= ?", acme.id(), times);
    }
}
