package dev.okr.organizations.tenant;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    static final int MAX_ROWS_PER_STATEMENT = 50;

    // Names that differ only in case have the same length. Java compares them, because the result of lower() in
    // PostgreSQL depends on the locale of the database.
    private static final String WITH_LENGTH = "SELECT e.id, e.name FROM %s e WHERE e.organization_id = :organization"
            + " AND char_length(e.name) = ? AND e.id > ? ORDER BY e.id LIMIT ?";

    /** An organisation can have thousands of cycles. */
    private static final int MAX_NAMES_AT_ONCE = 1_000;

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

    /**
     * A NULL for each column, for the rows of another table in a UNION ALL. Only for a table without computed
     * expressions.
     */
    public String nulls() {
        return String.join(", ", Collections.nCopies(columns.size(), "NULL"));
    }

    private String expressions(String alias, String prefix) {
        return computed.replace("{table}", alias).replace("{prefix}", prefix);
    }

    /**
     * The statement that copies rows from one table to another one. Both have the columns of this table.
     *
     * @param condition selects the rows {@code t} to copy
     */
    public String copy(String from, String to, String condition) {
        return "INSERT INTO " + to + " (organization_id, " + String.join(", ", columns)
                + ") SELECT t.organization_id, t."
                + String.join(", t.", columns) + " FROM " + from + " t WHERE t.organization_id = :organization AND "
                + condition;
    }

    /**
     * Checks that no other row has a name, ignoring case. Locks the organisation, so that only one of two concurrent
     * requests gets the name. There is no unique index, because rows of earlier versions may share a name.
     *
     * @param own the row that may have the name already; null for a new row
     * @throws Failure a conflict that names the resource that has it
     */
    public void requireFreeName(IdKind kind, String newName, @Nullable UUID own) {
        TenantSql.current().lockOrganization();
        var last = new UUID(0, 0);
        List<Named> page;
        do {
            page = TenantSql.current()
                    .list(Named::read, WITH_LENGTH.formatted(name), length(newName), last, MAX_NAMES_AT_ONCE);
            for (var each : page) {
                if (each.name.equalsIgnoreCase(newName) && !each.id.equals(own)) {
                    throw Failure.conflict(
                            "The %s %s has the name %s.".formatted(kind.noun(), kind.format(each.id), each.name));
                }
                last = each.id;
            }
        } while (page.size() == MAX_NAMES_AT_ONCE);
    }

    private record Named(UUID id, String name) {
        static Named read(ResultSet row) throws SQLException {
            return new Named(Sql.uuid(row, "id"), row.getString("name"));
        }
    }

    /** The length as PostgreSQL counts it. */
    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /**
     * Checks that a resource may get this external id.
     *
     * @param externalId null for none
     * @throws Failure a conflict if another resource has it, or if it is an id of this kind. Imports find resources by
     *     both.
     */
    public void requireFree(IdKind kind, @Nullable String externalId) {
        if (externalId != null) {
            findRefused(kind, List.of(externalId)).forEach((taken, id) -> {
                throw taken(kind, taken, id);
            });
        }
    }

    /**
     * The external ids that a resource may not get. These are those of other resources, and texts that are ids of this
     * kind. The value is the id of the other resource, or the id in the text.
     */
    public Map<String, UUID> findRefused(IdKind kind, Collection<String> externalIds) {
        var found = findExternalIds(externalIds);
        externalIds.forEach(each -> kind.parse(each).ifPresent(id -> found.put(each, id)));
        return found;
    }

    /** The ids of the resources that have one of these external ids, by external id. */
    public Map<String, UUID> findExternalIds(Collection<String> externalIds) {
        var found = new HashMap<String, UUID>();
        TenantSql.current()
                .list(
                        row -> found.put(row.getString("external_id"), Sql.uuid(row, "id")),
                        "SELECT id, external_id FROM " + name
                                + " WHERE organization_id = :organization AND external_id = ANY (?)",
                        externalIds);
        return found;
    }

    /** A resource with an external id. */
    public record Identified(UUID id, String externalId) {}

    /**
     * Finds a row whose external id is also in one of the selected rows of another table.
     *
     * @param condition selects the rows {@code t} of the other table
     */
    public Optional<Identified> findTaken(String other, String condition, UUID parameter) {
        // Each external id is found by itself in a unique index. Otherwise PostgreSQL could read the selected rows
        // again
        // for each row of this table, because the statistics do not contain rows that were added just now.
        var statement = """
                SELECT e.id, e.external_id FROM %s t CROSS JOIN LATERAL (
                    SELECT r.id, r.external_id FROM %s r
                    WHERE r.organization_id = :organization AND r.external_id = t.external_id LIMIT 1) e
                WHERE t.organization_id = :organization AND t.external_id IS NOT NULL AND %s
                LIMIT 1
                """.formatted(other, name, condition);
        return TenantSql.current()
                .first(row -> new Identified(Sql.uuid(row, "id"), row.getString("external_id")), statement, parameter);
    }

    public static Failure taken(IdKind kind, String externalId, UUID id) {
        return Failure.conflict(
                kind.parse(externalId).filter(id::equals).isPresent()
                        ? "%s is an id of this service. It cannot be the external_id of another %s."
                                .formatted(externalId, kind.noun())
                        : "The %s %s has the external_id %s.".formatted(kind.noun(), kind.format(id), externalId));
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
