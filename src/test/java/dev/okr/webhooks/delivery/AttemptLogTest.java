package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.SigningKeys;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Calls the attempt log as the recorder does. */
@QuarkusTest
class AttemptLogTest extends DeliveryScenario {
    @Inject
    AttemptLog log;

    @Test
    void a_batch_that_is_written_twice_counts_once() throws SQLException {
        var webhook = subscribe(receiver(RETRY_LATER));
        newCycle();
        var waiting = awaitDelivery(webhook, waiting(1));
        var id = IdKind.DELIVERY.parse(text(waiting, "id")).orElseThrow();
        var claim = UUID.randomUUID();
        TestDatabase.execute("UPDATE delivery SET claim = ? WHERE id = ?", claim, id);
        var attempt = new Attempt(
                new Lane(acme.id(), uuid(webhook), true),
                id,
                UUID.randomUUID(),
                claim,
                Instant.now(),
                Instant.now(),
                1,
                1,
                new Attempt.Endpoint(
                        "https://example.com/",
                        new SigningKeys(acme.id(), uuid(webhook), new EncryptedSecret("k", new byte[0]), null)),
                "cycle.created",
                Instant.now(),
                "{}");
        var batch = List.of(Deliveries.made(attempt, Instant.now(), Deliveries.status(410)));
        log.write(acme.id(), batch);
        log.write(acme.id(), batch);

        var after = awaitDelivery(webhook, failed("gone"));
        assertThat(after.get("attempts_count").intValue()).isEqualTo(2);
        assertThat(attempts(webhook, after)).hasSize(2);
    }
}
