package dev.okr.organizations.tenant;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.transactions.Sql;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a page of a list that is ordered by name. Rows with the same name are ordered by id. */
public final class ByName<R> {
    private final Sql.Reader<R> reader;
    private final String columns;
    private final StringBuilder from;
    private final List<Object> parameters;

    private ByName(Sql.Reader<R> reader, String columns, String from, Object... parameters) {
        this.reader = reader;
        this.columns = columns;
        this.from = new StringBuilder(from);
        this.parameters = new ArrayList<>(Arrays.asList(parameters));
    }

    /**
     * @param columns the SELECT list, in which the table has the alias {@code e}
     * @param from the table with the alias {@code e}, and the conditions
     */
    public static <R> ByName<R> of(Sql.Reader<R> reader, String columns, String from, Object... parameters) {
        return new ByName<>(reader, columns, from, parameters);
    }

    /**
     * Keeps only rows that meet a condition with one parameter.
     *
     * @param value null, from an absent filter, keeps all rows
     */
    public ByName<R> where(String condition, @Nullable Object value) {
        if (value != null) {
            from.append(" AND ").append(condition);
            parameters.add(value instanceof Enum<?> constant ? EnumNames.format(constant) : value);
        }
        return this;
    }

    public Slice<R> slice(ListQuery query) {
        long total = TenantSql.current()
                .first(row -> row.getLong(1), "SELECT count(*) FROM " + from, parameters.toArray())
                .orElseThrow();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        var values = new ArrayList<>(parameters);
        values.add(query.offset());
        // With a parameter for the limit, PostgreSQL would plan each execution again.
        var page =
                "SELECT " + columns + " FROM " + from + " ORDER BY e.name, e.id LIMIT " + query.perPage() + " OFFSET ?";
        return new Slice<>(TenantSql.current().list(reader, page, values.toArray()), total, null);
    }
}
