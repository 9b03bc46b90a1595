package dev.okr.organizations.tenant;

import dev.okr.platform.transactions.Sql;
import java.util.List;

/**
 * A table of a tenant, as it is read by SQL. Its columns are named, never {@code *}: a column that a migration adds must
 * not change what the statements of a running service answer.
 *
 * @param reader makes an entity, which no session manages, of a row with these columns
 */
public record TenantTable<E extends TenantEntity>(String name, List<String> columns, Sql.Reader<E> reader) {

    /** The columns of a statement that calls the table by this name. */
    public String columns(String alias) {
        return alias + '.' + String.join(", " + alias + '.', columns);
    }
}
