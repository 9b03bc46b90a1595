package dev.okr.organizations.tenant;

import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a tenant's table, and how SQL reads its rows into records. Statements name the columns instead of
 * {@code *}, so that a column of a later migration does not change the statements of a running service.
 *
 * @param computed further expressions for a SELECT list, each after a comma; {@code {table}} stands for the alias
 * @param reader makes a record from a row with these columns
 */
public record TenantTable<R>(String name, List<String> columns, String computed, Sql.Reader<R> reader) {

    /** A table without computed expressions. */
    public TenantTable(String name, List<String> columns, Sql.Reader<R> reader) {
        this(name, columns, "", reader);
    }

    /** The columns and expressions for a SELECT list, qualified by the alias that the statement gives the table. */
    public String columns(String alias) {
        return alias + '.' + String.join(", " + alias + '.', columns) + computed.replace("{table}", alias);
    }

    /**
     * Inserts a row, with the {@link PendingWrites} of the current transaction.
     *
     * @param values the values of {@link #columns}, in the same order
     */
    public void insert(@Nullable Object... values) {
        var statement = "INSERT INTO " + name + " (organization_id, " + String.join(", ", columns)
                + ") VALUES (:organization" + ", ?".repeat(columns.size()) + ')';
        TenantSql.current().write(statement, values);
    }
}
