package dev.okr.operations.commands;

import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Re-encrypts secrets with the current key, while replicas run. It works in batches, which lock few rows and skip rows
 * that others have locked. Skipped rows follow in the next pass. An interrupted run can simply be repeated.
 */
final class SecretRotation {
    static final int MAX_BATCH_ROWS = 50;

    private static final int MAX_PASSES = 20;
    private static final Duration PAUSE_BETWEEN_PASSES = Duration.ofMillis(500);

    private final DataSource database;
    private final WebhookSecrets webhooks;
    private final StoredResponseSecrets responses;

    SecretRotation(DataSource database, SecretBox secretBox, UtcClock clock) {
        this.database = database;
        this.webhooks = new WebhookSecrets(secretBox, clock);
        this.responses = new StoredResponseSecrets(secretBox);
    }

    /**
     * The result of a run.
     *
     * @param webhookSecrets the number of re-encrypted secrets of webhooks
     * @param previousSecrets the number of re-encrypted previous secrets
     * @param expiredSecrets the number of deleted previous secrets, which had expired
     * @param storedResponses the number of re-encrypted stored responses
     * @param missingKeyIds the ids of keys that the configuration does not contain
     * @param damagedRows the names of rows that cannot be decrypted
     * @param busy whether rows are left that others had locked in every pass
     */
    record Result(
            long webhookSecrets,
            long previousSecrets,
            long expiredSecrets,
            long storedResponses,
            SortedSet<String> missingKeyIds,
            SortedSet<String> damagedRows,
            boolean busy) {}

    Result run() throws SQLException {
        boolean busy = true;
        for (int passes = 0; busy && passes < MAX_PASSES; passes++) {
            if (passes > 0) {
                LockSupport.parkNanos(PAUSE_BETWEEN_PASSES.toNanos());
            }
            pass(webhooks);
            pass(responses);
            busy = isLeft(webhooks) || isLeft(responses);
        }
        return new Result(
                webhooks.current(),
                webhooks.previous(),
                webhooks.expired(),
                responses.count(),
                union(webhooks.missingKeyIds(), responses.missingKeyIds()),
                union(webhooks.damagedRows(), responses.damagedRows()),
                busy);
    }

    private static SortedSet<String> union(SortedSet<String> some, SortedSet<String> more) {
        var union = new TreeSet<>(some);
        union.addAll(more);
        return union;
    }

    private void pass(EncryptedRows table) throws SQLException {
        table.restart();
        int rows = MAX_BATCH_ROWS;
        while (rows == MAX_BATCH_ROWS) {
            rows = Sql.transaction(database, sql -> table.next(sql, MAX_BATCH_ROWS));
        }
    }

    private boolean isLeft(EncryptedRows table) throws SQLException {
        return Sql.transaction(database, table::isLeft);
    }
}
