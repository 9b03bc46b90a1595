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
 * The rows of a table that hold encrypted secrets, for re-encryption with the current key. Rows are not changed if
 * their key is missing or if they cannot be decrypted.
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

    /** Starts another pass over the table. */
    abstract void restart();

    /** Re-encrypts the next rows. Returns the number of rows read, which is below the limit at the end of a pass. */
    abstract int next(Sql sql, int maxRows) throws SQLException;

    /** Names rows that are encrypted with a key other than these. */
    abstract List<String> others(Sql sql, SortedSet<String> keyIds, int maxRows) throws SQLException;

    /** Whether rows are left that another pass may re-encrypt. */
    final boolean isLeft(Sql sql) throws SQLException {
        var doneKeyIds = new TreeSet<>(missingKeyIds);
        doneKeyIds.add(currentKeyId);
        return !damagedRows.containsAll(others(sql, doneKeyIds, damagedRows.size() + 1));
    }

    final String currentKeyId() {
        return currentKeyId;
    }

    /** The ids of keys that secrets need and the configuration does not contain. */
    final SortedSet<String> missingKeyIds() {
        return missingKeyIds;
    }

    /** The names of rows that cannot be decrypted, because they were changed or moved. */
    final SortedSet<String> damagedRows() {
        return damagedRows;
    }

    /**
     * Encrypts a secret with the current key. Returns empty if this key already encrypts it, or if it cannot be
     * decrypted.
     *
     * @param row the name of the row
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
