package dev.okr.operations.provisioning;

import dev.okr.operations.provisioning.ProvisioningAudit.Found;
import dev.okr.operations.provisioning.ProvisioningAudit.Put;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows that an organisation file is about, and how many of them it wrote. */
final class ProvisionedRows {
    private final Sql sql;
    private int written;

    ProvisionedRows(Sql sql) {
        this.sql = sql;
    }

    int written() {
        return written;
    }

    Optional<UUID> id(String query, Object... parameters) throws SQLException {
        return sql.first(row -> row.getObject("id", UUID.class), query, parameters);
    }

    Optional<Found> find(String query, Object... parameters) throws SQLException {
        return sql.first(Found::read, query, parameters);
    }

    /** Writes a row, and answers which it was unless there was nothing to write. */
    Optional<Put> put(String statement, @Nullable Object... parameters) throws SQLException {
        var put = sql.first(Put::read, statement, parameters);
        written += put.isPresent() ? 1 : 0;
        return put;
    }

    /** Writes a row; whether there was anything to write. */
    boolean write(String statement, @Nullable Object... parameters) throws SQLException {
        int rows = sql.update(statement, parameters);
        written += rows;
        return rows > 0;
    }
}
