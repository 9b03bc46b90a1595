package dev.okr.commands;

import dev.okr.encryption.Sealed;
import dev.okr.encryption.SecretBox;
import dev.okr.transactions.Sql;
import java.sql.SQLException;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Rows of a table that hold secrets, on their way to the current key. */
abstract class SealedRows {
    private final SecretBox secretBox;
    private final String currentKeyId;
    private final SortedSet<String> failedKeyIds = new TreeSet<>();

    SealedRows(SecretBox secretBox) {
        this.secretBox = secretBox;
        this.currentKeyId = secretBox.currentKeyId().orElseThrow();
    }

    /** Begins another pass over the table. */
    abstract void restart();

    /** Encrypts the next rows anew and answers how many it looked at: fewer than the limit at the end of the pass. */
    abstract int next(Sql sql, int maxRows) throws SQLException;

    /** Whether rows are under a key that is neither the current one nor among those that failed. */
    abstract boolean isLeft(Sql sql) throws SQLException;

    final String currentKeyId() {
        return currentKeyId;
    }

    /** The keys of the secrets that did not decrypt. */
    final SortedSet<String> failedKeyIds() {
        return failedKeyIds;
    }

    /** The keys under which nothing is to be looked for. */
    final SortedSet<String> settledKeyIds() {
        var settled = new TreeSet<>(failedKeyIds);
        settled.add(currentKeyId);
        return settled;
    }

    /** The secret under the current key; empty when it is so already, or when it does not decrypt. */
    final Optional<Sealed> reseal(@Nullable Sealed sealed, String context) {
        if (sealed == null || sealed.keyId().equals(currentKeyId)) {
            return Optional.empty();
        }
        try {
            return Optional.of(secretBox.reseal(sealed, context));
        } catch (IllegalStateException doesNotDecrypt) {
            failedKeyIds.add(sealed.keyId());
            return Optional.empty();
        }
    }
}
