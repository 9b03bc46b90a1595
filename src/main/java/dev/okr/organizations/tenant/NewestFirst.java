package dev.okr.organizations.tenant;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of a list that is ordered by creation, newest first, by page number or by cursor. Rows created in the
 * same microsecond are ordered by id. One statement reads the page and the total, so both come from one snapshot.
 */
public final class NewestFirst<R> {
    private static final String TOTAL = "total";

    /** From this offset on, an index-only scan finds the ids of the page. Only these rows are then read. */
    private static final int DEEP_OFFSET = 500;

    private final TenantTable<R> table;
    private final boolean orderedById;
    private final List<String> conditions = new ArrayList<>(List.of("e.organization_id = :organization"));
    private final List<Object> parameters = new ArrayList<>();
    private @Nullable String count;
    private List<Object> countParameters = List.of();

    private NewestFirst(TenantTable<R> table, boolean orderedById) {
        this.table = table;
        this.orderedById = orderedById;
    }

    /** Lists a table by {@code created_at} and {@code id}. */
    public static <R> NewestFirst<R> of(TenantTable<R> table) {
        return new NewestFirst<>(table, false);
    }

    /** Lists a table by {@code id} only. The ids of the table must contain the time of creation. */
    public static <R> NewestFirst<R> byId(TenantTable<R> table) {
        return new NewestFirst<>(table, true);
    }

    /** Keeps only rows with this value in the column. A null value, from an absent filter, keeps all rows. */
    public NewestFirst<R> with(String column, @Nullable Object value) {
        if (value == null) {
            return this;
        }
        return where("e." + column + " = ?", value instanceof Enum<?> constant ? EnumNames.format(constant) : value);
    }

    /** Keeps only rows that meet a condition. The condition calls the table {@code e}. */
    public NewestFirst<R> where(String condition, Object... values) {
        conditions.add(condition);
        parameters.addAll(Arrays.asList(values));
        count = null;
        return this;
    }

    /** Reads the total with this query instead of counting rows. A condition that is added later disables this. */
    public NewestFirst<R> countedBy(String query, Object... values) {
        count = query;
        countParameters = List.of(values);
        return this;
    }

    public Slice<R> slice(ListQuery query) {
        var counting =
                "(" + (count == null ? "SELECT count(*) FROM " + table.name() + " e WHERE " + allConditions() : count)
                        + ")";
        var counted = count == null ? List.copyOf(parameters) : countParameters;
        startAfterCursor(query);
        // By cursor, one extra row shows whether there is a next page.
        int limit = query.byCursor() ? query.perPage() + 1 : query.perPage();
        long offset = query.byCursor() ? 0 : query.offset();
        var values = new ArrayList<>(counted);
        values.addAll(parameters);
        if (offset > 0) {
            values.add(offset);
        }
        var page = offset < DEEP_OFFSET ? page(counting, limit, offset) : deepPage(counting, limit, offset);
        var rows = TenantSql.current().list(row -> row(row, query.byCursor()), page, values.toArray());
        long total = rows.isEmpty() ? total(counting, counted) : rows.getFirst().total();
        var slice = query.slice(rows, total, Row::requireCreatedAt, Row::requireId);
        return new Slice<>(slice.items().stream().map(Row::item).toList(), total, slice.nextCursor());
    }

    /** Reads the total separately, because the statement of an empty page returns no row that contains it. */
    private static long total(String counting, List<Object> values) {
        return TenantSql.current()
                .first(row -> row.getLong(TOTAL), "SELECT " + counting + " AS " + TOTAL, values.toArray())
                .orElseThrow();
    }

    /**
     * The first rows of a table that is ordered by id, without the total.
     *
     * @param before returns only rows with a smaller id; null for all
     */
    public List<R> first(@Nullable UUID before, int limit) {
        if (before != null) {
            where("e.id < ?", before);
        }
        return TenantSql.current()
                .list(table.reader(), "SELECT " + table.columns("e") + found(limit, 0), parameters.toArray());
    }

    private void startAfterCursor(ListQuery query) {
        var cursor = query.cursor();
        if (cursor != null && orderedById) {
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

    /** The limit and an offset of 0 are literals. With parameters, PostgreSQL would plan each execution again. */
    private String found(int limit, long offset) {
        return " FROM " + table.name() + " e WHERE " + allConditions() + " ORDER BY " + order("e") + " LIMIT " + limit
                + (offset == 0 ? "" : " OFFSET ?");
    }

    private String allConditions() {
        return String.join(" AND ", conditions);
    }

    private String order(String alias) {
        return orderedById ? alias + ".id DESC" : alias + ".created_at DESC, " + alias + ".id DESC";
    }

    /** An item of the page with the total and, for cursors, its position in the list. */
    private record Row<R>(
            long total,
            @Nullable Instant createdAt,
            @Nullable UUID id,
            R item) {
        Instant requireCreatedAt() {
            return Objects.requireNonNull(createdAt);
        }

        UUID requireId() {
            return Objects.requireNonNull(id);
        }
    }

    private Row<R> row(ResultSet row, boolean byCursor) throws SQLException {
        return new Row<>(
                row.getLong(TOTAL),
                byCursor ? Sql.instant(row, "created_at") : null,
                byCursor ? Sql.uuid(row, "id") : null,
                table.reader().read(row));
    }
}
