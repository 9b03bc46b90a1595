package dev.okr.organizations.tenant;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.transactions.Sql;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads a page of a list that is ordered by name. Rows with the same name are ordered by id. */
public final class ByName {
    private ByName() {}

    /**
     * @param columns the SELECT list, in which the table has the alias {@code e}
     * @param from the table with the alias {@code e}, and the conditions
     */
    public static <R> Slice<R> slice(
            ListQuery query, Sql.Reader<R> reader, String columns, String from, Object... parameters) {
        long total = TenantSql.current()
                .first(row -> row.getLong(1), "SELECT count(*) FROM " + from, parameters)
                .orElseThrow();
        if (query.offset() >= total) {
            return new Slice<>(List.of(), total, null);
        }
        var values = new ArrayList<>(Arrays.asList(parameters));
        values.add(query.offset());
        // With a parameter for the limit, PostgreSQL would plan each execution again.
        var page =
                "SELECT " + columns + " FROM " + from + " ORDER BY e.name, e.id LIMIT " + query.perPage() + " OFFSET ?";
        return new Slice<>(TenantSql.current().list(reader, page, values.toArray()), total, null);
    }
}
