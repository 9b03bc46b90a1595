package dev.okr.webhooks.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import org.junit.jupiter.api.Test;

@QuarkusTest
class RecoveryBatchTest extends DeliveryScenario {
    @Inject
    RecoveryBatch recovery;

    /** A replica can find the recovery just before the webhook is switched off and on, and recovered again. */
    @Test
    void a_recovery_waits_for_the_cancellation() throws Exception {
        var webhook = subscribe(receiver());
        newCycle();
        awaitDelivery(webhook, status("succeeded"));
        // In a transaction of its own, so that the service does not see these changes.
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            var sql = new Sql(connection);
            sql.update(
                    "UPDATE webhook SET cancel_until = now(), recovery_after = ?, recovery_until = ?"
                            + " WHERE organization_id = ? AND id = ?",
                    UuidV7.least(Instant.EPOCH),
                    UuidV7.least(Instant.now().plusSeconds(60)),
                    acme.id(),
                    uuid(webhook));
            assertThat(recovery.run(sql, acme.id(), uuid(webhook))).isZero();
            sql.update(
                    "UPDATE webhook SET cancel_until = NULL WHERE organization_id = ? AND id = ?",
                    acme.id(),
                    uuid(webhook));
            assertThat(recovery.run(sql, acme.id(), uuid(webhook))).isPositive();
            connection.rollback();
        }
    }
}
