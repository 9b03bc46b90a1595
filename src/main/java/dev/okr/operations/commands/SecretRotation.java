package dev.okr.operations.commands;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Re-encrypts secrets with the current key, while replicas run. It works in batches. A batch locks few rows and skips
 * rows that others have locked. The next pass processes the skipped rows. An interrupted run can be repeated.
 */
final class SecretRotation {
    static final int MAX_BATCH_ROWS = 50;

    private static final int MAX_PASSES = 20;
    private static final Duration PAUSE_BETWEEN_PASSES = Duration.ofMillis(500);

    private final DataSource database;
    private final SecretBox secretBox;
    private final String currentKeyId;
    private final WebhookSecrets webhooks;
    private final StoredResponseSecrets responses;
    private final SortedSet<String> missingKeyIds = new TreeSet<>();
    private final SortedSet<String> damagedRows = new TreeSet<>();

    SecretRotation(DataSource database, SecretBox secretBox, UtcClock clock) {
        this.database = database;
        this.secretBox = secretBox;
        this.currentKeyId = secretBox.currentKeyId().orElseThrow();
        this.webhooks = new WebhookSecrets(this, clock);
        this.responses = new StoredResponseSecrets(this);
    }

    /** A table with encrypted secrets. */
    interface EncryptedRows {
        /** Starts another pass over the table. */
        void restart();

        /** Re-encrypts the next rows. Returns the number of rows read, which is below the limit at the end of a pass. */
        int next(Sql sql, int maxRows) throws SQLException;

        /** Returns the names of rows that are encrypted with a key other than these. */
        List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException;
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
     * @param busy whether rows are left because others had locked them in every pass
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
                missingKeyIds,
                damagedRows,
                busy);
    }

    String currentKeyId() {
        return currentKeyId;
    }

    /**
     * Encrypts a secret with the current key. Returns empty if this key already encrypts it, if its key is missing, or
     * if it cannot be decrypted.
     *
     * @param row the name of the row
     */
    Optional<EncryptedSecret> reencrypt(@Nullable EncryptedSecret secret, String context, String row) {
        if (secret == null || secret.keyId().equals(currentKeyId)) {
            return Optional.empty();
        }
        if (!secretBox.knows(secret.keyId())) {
            missingKeyIds.add(secret.keyId());
            return Optional.empty();
        }
        try {
            return Optional.of(secretBox.reencrypt(secret, context));
        } catch (IllegalStateException doesNotDecrypt) {
            damagedRows.add(row);
            return Optional.empty();
        }
    }

    private void pass(EncryptedRows table) throws SQLException {
        table.restart();
        int rows = MAX_BATCH_ROWS;
        while (rows == MAX_BATCH_ROWS) {
            rows = Sql.transaction(database, sql -> table.next(sql, MAX_BATCH_ROWS));
        }
    }

    /** Whether rows are left that another pass may re-encrypt. */
    private boolean isLeft(EncryptedRows table) throws SQLException {
        var doneKeyIds = new TreeSet<>(missingKeyIds);
        doneKeyIds.add(currentKeyId);
        int maxRows = damagedRows.size() + 1;
        return !damagedRows.containsAll(Sql.transaction(database, sql -> table.others(sql, doneKeyIds, maxRows)));
    }
}
