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
 * Encrypts under the current key what is encrypted under others, while replicas go on working: in batches that lock
 * few rows and never wait for one. Rows that somebody else holds are taken at the next pass. What is done is done, so a
 * run that was interrupted is just run again.
 */
final class SecretRotation {
    static final int MAX_BATCH_ROWS = 50;

    private static final int MAX_PASSES = 20;
    private static final Duration PAUSE_BETWEEN_PASSES = Duration.ofMillis(500);

    private final DataSource database;
    private final WebhookSecrets webhooks;
    private final KeptResponseSecrets responses;

    SecretRotation(DataSource database, SecretBox secretBox, UtcClock clock) {
        this.database = database;
        this.webhooks = new WebhookSecrets(secretBox, clock);
        this.responses = new KeptResponseSecrets(secretBox);
    }

    /**
     * What a run did.
     *
     * @param webhookSecrets how many webhooks' secrets were encrypted anew
     * @param previousSecrets the same of secrets that sign beside a newer one
     * @param expiredSecrets how many secrets were forgotten, because they sign nothing any more
     * @param keptResponses how many kept responses were encrypted anew
     * @param missingKeyIds the keys of secrets that stay as they are, because the operator did not give the key
     * @param damagedRows the names of rows that stay as they are, because they do not decrypt
     * @param busy whether rows are left that others held at every pass
     */
    record Result(
            long webhookSecrets,
            long previousSecrets,
            long expiredSecrets,
            long keptResponses,
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
