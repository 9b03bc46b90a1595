package dev.okr.operations.commands;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table that hold secrets, on their way to the current key. What cannot get there stays as it is: all that
 * is under a key that is missing, and single rows that do not decrypt although their key is there.
 */
abstract class EncryptedRows {
    private final SecretBox secretBox;
    private final String currentKeyId;
    private final SortedSet<String> missingKeyIds = new TreeSet<>();
    private final SortedSet<String> damagedRows = new TreeSet<>();

    EncryptedRows(SecretBox secretBox) {
        this.secretBox = secretBox;
        this.currentKeyId = secretBox.currentKeyId().orElseThrow();
    }

    /** Begins another pass over the table. */
    abstract void restart();

    /** Encrypts the next rows anew and answers how many it looked at: fewer than the limit at the end of the pass. */
    abstract int next(Sql sql, int maxRows) throws SQLException;

    /** Names rows under a key that is not among these. */
    abstract List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException;

    /** Whether rows are left that another pass can do something about. */
    final boolean isLeft(Sql sql) throws SQLException {
        var settledKeyIds = new TreeSet<>(missingKeyIds);
        settledKeyIds.add(currentKeyId);
        return !damagedRows.containsAll(others(sql, settledKeyIds, damagedRows.size() + 1));
    }

    final String currentKeyId() {
        return currentKeyId;
    }

    /** The keys of secrets that the operator did not give. */
    final SortedSet<String> missingKeyIds() {
        return missingKeyIds;
    }

    /** The rows that do not decrypt, by name: they were changed or moved. */
    final SortedSet<String> damagedRows() {
        return damagedRows;
    }

    /**
     * The secret under the current key; empty when it is so already, or when it does not decrypt.
     *
     * @param row the name of the secret's row
     */
    final Optional<EncryptedSecret> reencrypt(@Nullable EncryptedSecret secret, String context, String row) {
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
}
