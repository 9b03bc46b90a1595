package dev.okr.organizations.tenant;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a tenant's table, and how SQL reads its rows into records. Statements name the columns instead of
 * {@code *}, so that a column of a later migration does not change the statements of a running service.
 *
 * @param computed further expressions for a SELECT list, each after a comma; {@code {table}} stands for the alias, and
 *     {@code {prefix}} for the prefix of the expression's name
 * @param reader makes a record from a row with these columns
 */
public record TenantTable<R>(String name, List<String> columns, String computed, Sql.Reader<R> reader) {
    /** Few different statements keep their plans. */
    private static final int MAX_ROWS_PER_STATEMENT = 50;

    /** A table without computed expressions. */
    public TenantTable(String name, List<String> columns, Sql.Reader<R> reader) {
        this(name, columns, "", reader);
    }

    /** The columns and expressions for a SELECT list, qualified by the alias that the statement gives the table. */
    public String columns(String alias) {
        return alias + '.' + String.join(", " + alias + '.', columns) + expressions(alias, "");
    }

    /** The same, with a prefix before each name, for a statement that reads this table together with another one. */
    public String columns(String alias, String prefix) {
        return columns.stream()
                .map(column -> alias + '.' + column + " AS " + prefix + column)
                .collect(Collectors.joining(", ", "", expressions(alias, prefix)));
    }

    private String expressions(String alias, String prefix) {
        return computed.replace("{table}", alias).replace("{prefix}", prefix);
    }

    /**
     * Checks that no resource has an external id.
     *
     * @param externalId null for none
     * @throws Failure a conflict that names the resource that has it
     */
    public void requireFree(IdKind kind, @Nullable String externalId) {
        if (externalId != null) {
            findExternalIds(List.of(externalId)).forEach((taken, id) -> {
                throw taken(kind, taken, id);
            });
        }
    }

    /** The ids of the resources that have one of these external ids, by external id. */
    public Map<String, UUID> findExternalIds(Collection<String> externalIds) {
        var found = new HashMap<String, UUID>();
        var statement = "SELECT id, external_id FROM " + name
                + " WHERE organization_id = :organization AND external_id = ANY (?)";
        TenantSql.current()
                .list(row -> found.put(row.getString("external_id"), Sql.uuid(row, "id")), statement, externalIds);
        return found;
    }

    public static Failure taken(IdKind kind, String externalId, UUID id) {
        return Failure.conflict(
                "The %s %s has the external_id %s.".formatted(kind.noun(), kind.format(id), externalId));
    }

    /**
     * Inserts a row, with the {@link PendingWrites} of the current transaction.
     *
     * @param values the values of {@link #columns}, in the same order
     */
    public void insert(@Nullable Object... values) {
        TenantSql.current().write(insertion(1), values);
    }

    /** Inserts any number of rows like {@link #insert}, several with each statement. */
    public void insertAll(List<@Nullable Object[]> rows) {
        for (int i = 0; i < rows.size(); i += MAX_ROWS_PER_STATEMENT) {
            var some = rows.subList(i, Math.min(i + MAX_ROWS_PER_STATEMENT, rows.size()));
            TenantSql.current()
                    .write(
                            insertion(some.size()),
                            some.stream().flatMap(Stream::of).toArray());
        }
    }

    private String insertion(int rows) {
        var row = "(:organization" + ", ?".repeat(columns.size()) + ')';
        return "INSERT INTO " + name + " (organization_id, " + String.join(", ", columns) + ") VALUES "
                + String.join(", ", Collections.nCopies(rows, row));
    }
}
