package dev.okr.deliveries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.deliveries.DeliveryQueue.Lane;
import dev.okr.deliveries.DeliveryQueue.Share;
import dev.okr.testing.TestDatabase;
import dev.okr.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a round of the dispatcher reads of a long queue that the database's planner takes for an empty one. */
@QuarkusTest
class DeliveryQueueTest extends DeliveryScenario {
    private static final int QUEUED = 2_000;
    private static final int LANES = 100;

    /** In this transaction. */
    private static final String ROWS_READ = """
            SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) AS read
            FROM pg_stat_xact_user_tables WHERE relname = 'delivery_pending'
            """;

    @Inject
    DeliveryQueue queue;

    @Inject
    AgroalDataSource database;

    @BeforeEach
    void fillAQueueThatWasAnalysedEmpty() {
        queueForInactiveWebhooks(QUEUED);
        // What it leaves is pages without a row.
        emptyQueue();
        TestDatabase.execute("ANALYZE delivery");
        queueForInactiveWebhooks(QUEUED);
    }

    @AfterEach
    void leaveItEmpty() {
        emptyQueue();
    }

    @Test
    void lanes_are_found_without_reading_the_queue_for_each() throws SQLException {
        var read = QueueTransaction.run(database, sql -> {
            assertThat(queue.lanes(sql, Lane.FIRST, LANES)).hasSize(LANES);
            return rowsRead(sql);
        });
        assertThat(read).isBetween(1L, 2L * LANES);
    }

    @Test
    void deliveries_are_claimed_without_reading_the_queue_for_each() throws SQLException {
        var read = QueueTransaction.run(database, sql -> {
            var shares = queue.lanes(sql, Lane.FIRST, LANES).stream()
                    .map(lane -> new Share(lane, 1))
                    .toList();
            var before = rowsRead(sql);
            var now = Instant.now();
            queue.claim(sql, shares, now, now, now.plusSeconds(1));
            return rowsRead(sql) - before;
        });
        assertThat(read).isBetween(1L, 4L * LANES);
    }

    private static long rowsRead(Sql sql) throws SQLException {
        return sql.first(row -> row.getLong("read"), ROWS_READ).orElseThrow();
    }
}
