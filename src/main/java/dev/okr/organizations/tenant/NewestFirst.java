package dev.okr.organizations.tenant;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists that are ordered by creation, newest first, by page number or by cursor. The order ends with the id, so
 * that rows created in the same microsecond keep their place. A page and the total come from one statement, and so
 * from one snapshot.
 */
public final class NewestFirst<E extends TenantEntity> {
    private static final String TOTAL = "total";

    /** From here on, the rows before the page are passed over in the index alone. */
    private static final int DEEP_OFFSET = 500;

    private final TenantTable<E> table;
    private final Function<E, Instant> createdAt;
    private final List<String> conditions = new ArrayList<>(List.of("e.organization_id = :organization"));
    private final List<Object> parameters = new ArrayList<>();
    private final boolean idsTellOrder;
    private @Nullable String count;
    private List<Object> countParameters = List.of();

    private NewestFirst(TenantTable<E> table, Function<E, Instant> createdAt, boolean idsTellOrder) {
        this.table = table;
        this.createdAt = createdAt;
        this.idsTellOrder = idsTellOrder;
    }

    /** The list of all rows of a table that has {@code created_at}. */
    public static <E extends TenantEntity> NewestFirst<E> of(TenantTable<E> table, Function<E, Instant> createdAt) {
        return new NewestFirst<>(table, createdAt, false);
    }

    /** The same of a table whose ids are made of {@code created_at} itself, so that no index needs both. */
    public static <E extends TenantEntity> NewestFirst<E> byId(TenantTable<E> table, Function<E, Instant> createdAt) {
        return new NewestFirst<>(table, createdAt, true);
    }

    /** Narrows the list to rows whose column has this value; null, for a filter not given, narrows nothing. */
    public NewestFirst<E> with(String column, @Nullable Object value) {
        if (value == null) {
            return this;
        }
        return where("e." + column + " = ?", value instanceof Enum<?> constant ? EnumNames.format(constant) : value);
    }

    /** Narrows the list by a condition on {@code e}. */
    public NewestFirst<E> where(String condition, Object... values) {
        conditions.add(condition);
        parameters.addAll(Arrays.asList(values));
        return this;
    }

    /** Takes the total from elsewhere, where it need not be counted: a query that answers it as one number. */
    public NewestFirst<E> countedBy(String query, Object... values) {
        count = query;
        countParameters = List.of(values);
        return this;
    }

    public Slice<E> slice(ListQuery query) {
        var counting =
                "(" + (count == null ? "SELECT count(*) FROM " + table.name() + " e WHERE " + allConditions() : count)
                        + ")";
        var counted = count == null ? List.copyOf(parameters) : countParameters;
        goOnBehind(query);
        // By cursor, one row more tells whether there is a next page.
        int limit = query.byCursor() ? query.perPage() + 1 : query.perPage();
        long offset = query.byCursor() ? 0 : query.offset();
        var values = new ArrayList<>(counted);
        values.addAll(parameters);
        if (offset > 0) {
            values.add(offset);
        }
        var page = offset < DEEP_OFFSET ? page(counting, limit, offset) : deepPage(counting, limit, offset);
        var rows = TenantSql.current().list(this::row, page, values.toArray());
        long total = rows.isEmpty() ? total(counting, counted) : rows.getFirst().total();
        return query.slice(rows.stream().map(Row::entity).toList(), total, createdAt, TenantEntity::id);
    }

    /** For an empty page, whose statement answers no row to say it. */
    private static long total(String counting, List<Object> values) {
        return TenantSql.current()
                .first(row -> row.getLong(TOTAL), "SELECT " + counting + " AS " + TOTAL, values.toArray())
                .orElseThrow();
    }

    /**
     * The first rows, without a count of all, of a table whose ids tell the order.
     *
     * @param before only rows behind this one in the list; null for all
     */
    public List<E> first(@Nullable UUID before, int limit) {
        if (before != null) {
            where("e.id < ?", before);
        }
        return TenantSql.current()
                .list(table.reader(), "SELECT " + table.columns("e") + found(limit, 0), parameters.toArray());
    }

    private void goOnBehind(ListQuery query) {
        var cursor = query.cursor();
        if (cursor != null && idsTellOrder) {
            where("e.id < ?", cursor.id());
        } else if (cursor != null) {
            where("(e.created_at, e.id) < (?, ?)", cursor.createdAt(), cursor.id());
        }
    }

    private String page(String counting, int limit, long offset) {
        return "SELECT " + counting + " AS " + TOTAL + ", " + table.columns("e") + found(limit, offset);
    }

    private String deepPage(String counting, int limit, long offset) {
        return "SELECT " + counting + " AS " + TOTAL + ", " + table.columns("d") + " FROM (SELECT e.created_at, e.id"
                + found(limit, offset) + ") found JOIN " + table.name()
                + " d ON d.organization_id = :organization AND d.id = found.id ORDER BY " + order("found");
    }

    /** The limit is no parameter, and no offset is none: for unknown ones the database plans each execution anew. */
    private String found(int limit, long offset) {
        return " FROM " + table.name() + " e WHERE " + allConditions() + " ORDER BY " + order("e") + " LIMIT " + limit
                + (offset == 0 ? "" : " OFFSET ?");
    }

    private String allConditions() {
        return String.join(" AND ", conditions);
    }

    private String order(String alias) {
        return idsTellOrder ? alias + ".id DESC" : alias + ".created_at DESC, " + alias + ".id DESC";
    }

    /** The total, and an item. */
    private record Row<E>(long total, E entity) {}

    private Row<E> row(ResultSet row) throws SQLException {
        return new Row<>(row.getLong(TOTAL), table.reader().read(row));
    }
}
