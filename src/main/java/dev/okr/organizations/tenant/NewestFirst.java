package dev.okr.organizations.tenant;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.http.Sort;
import dev.okr.platform.http.Words;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of a list by page number or by cursor. The list is ordered by creation, newest first, unless the query
 * has another {@link Sort}. Rows with the same value are ordered by id. One statement reads the page and the total, so
 * both come from one snapshot.
 */
public final class NewestFirst<R> {
    private static final String TOTAL = "total";
    private static final String POSITION = "position";

    /** From this offset on, an index-only scan finds the ids of the page. Only these rows are then read. */
    private static final int DEEP_OFFSET = 500;

    /** A search first looks for the words in this number of rows of the list. This takes about a millisecond. */
    private static final int NEAREST_ROWS = 1_000;

    /** A page with more rows counts as large. Its texts can have several megabytes. */
    private static final int MAX_OF_SMALL_PAGE = 250;

    // One pass counts all rows with the words and keeps those that can be on the page. The nearest rows are the first
    // rows of the list, or the first ones after the cursor. If the words are frequent, the nearest rows show where the
    // page ends. Then only the rows up to this end are kept. Otherwise all rows with the words are kept.
    private static final String PAGE_OF_WORDS = """
            WITH last AS MATERIALIZED (
                SELECT %6$s(e.created_at) AS moment FROM (
                    SELECT e.created_at FROM (
                        SELECT e.organization_id, e.created_at, e.id FROM %1$s e
                        WHERE %2$s ORDER BY %3$s LIMIT %4$s) e
                    WHERE %5$s ORDER BY %3$s LIMIT ?) e
                HAVING count(*) = ?),
            found AS MATERIALIZED (
                SELECT count(*) AS total, array_agg(e.created_at) FILTER (WHERE e.kept) AS moments,
                    array_agg(e.id) FILTER (WHERE e.kept) AS ids
                FROM (SELECT e.created_at, e.id, %7$s AS kept FROM %8$s) e)
            SELECT p.total AS %9$s FROM (
                SELECT f.total, e.created_at, e.id FROM found f, unnest(f.moments, f.ids) AS e (created_at, id)
                ORDER BY %3$s LIMIT %10$s) p
            JOIN %1$s d ON d.organization_id = :organization AND d.id = p.id ORDER BY %11$s
            """;

    // Stores all rows with the words. If they are very many, PostgreSQL stores them in a temporary file. Only a page by
    // its number is this far, so there is no cursor.
    private static final String FAR_PAGE_OF_WORDS = """
            WITH found AS MATERIALIZED (SELECT e.created_at, e.id FROM %2$s)
            SELECT p.total AS %3$s FROM (
                SELECT (SELECT count(*) FROM found) AS total, e.created_at, e.id FROM found e
                ORDER BY %4$s LIMIT %5$s OFFSET ?) p
            JOIN %1$s d ON d.organization_id = :organization AND d.id = p.id ORDER BY %6$s
            """;

    private final TenantTable<R> table;
    private final boolean orderedById;
    private final List<String> conditions = new ArrayList<>(List.of("e.organization_id = :organization"));
    private final List<Object> parameters = new ArrayList<>();

    /** Finds the rows with the words, if the list has no other condition and is in the order of creation. */
    private @Nullable Search search;

    private boolean planned;
    private @Nullable String count;
    private List<Object> countParameters = List.of();

    /** A search for words as the only condition. */
    private record Search(WordTable table, String query) {}

    private NewestFirst(TenantTable<R> table, boolean orderedById) {
        this.table = table;
        this.orderedById = orderedById;
    }

    /** Lists a table by {@code created_at} and {@code id}, or in the order of the query. */
    public static <R> NewestFirst<R> of(TenantTable<R> table) {
        return new NewestFirst<>(table, false);
    }

    /** Lists a table by {@code id} only. The ids of the table must contain the time of creation. */
    public static <R> NewestFirst<R> byId(TenantTable<R> table) {
        return new NewestFirst<>(table, true);
    }

    /**
     * Keeps only rows with this value in the column. A null value, from an absent filter, keeps all rows.
     *
     * @param value a list keeps the rows with one of its values
     */
    public NewestFirst<R> with(String column, @Nullable Object value) {
        return switch (value) {
            case null -> this;
            case List<?> values
            when values.size() != 1 ->
                where(
                        "e." + column + " = ANY (?)",
                        values.stream().map(NewestFirst::stored).toList());
            case List<?> values -> with(column, values.getFirst());
            default -> where("e." + column + " = ?", stored(value));
        };
    }

    /** Keeps only rows that changed at or after this time. Null keeps all rows. */
    public NewestFirst<R> updatedSince(@Nullable Instant time) {
        return time == null ? this : planned().where("e.updated_at >= ?", time);
    }

    /** Lets PostgreSQL plan each execution, because a condition may match a few rows or almost all. */
    public NewestFirst<R> planned() {
        planned = true;
        return this;
    }

    /** Keeps only rows that meet a condition. The condition calls the table {@code e}. */
    public NewestFirst<R> where(String condition, Object... values) {
        conditions.add(condition);
        parameters.addAll(Arrays.asList(values));
        count = null;
        return this;
    }

    /**
     * Keeps only rows with these words. Call it after all other conditions. Without other conditions, and in the order
     * of creation, one search of the table of words finds the total and the page. Otherwise the search also starts with
     * the words, unless very many rows have them. Subqueries hide the words from the planner, so that its plan does not
     * depend on statistics.
     *
     * @param words null keeps all rows
     */
    public NewestFirst<R> search(WordTable wordTable, @Nullable Words words, Sort sort) {
        if (words == null) {
            return this;
        }
        var query = words.query(TenantSql.current().organizationId());
        boolean isAlone = conditions.size() == 1;
        if (isAlone && sort.column() == Sort.Column.CREATED_AT) {
            search = new Search(wordTable, query);
            return planned().countedBy(wordTable.count(), query);
        }
        planned().where(wordTable.condition(query), query);
        return isAlone ? countedBy(wordTable.count(), query) : this;
    }

    /** Reads the total with this query instead of counting rows. A condition that is added later disables this. */
    public NewestFirst<R> countedBy(String query, Object... values) {
        count = query;
        countParameters = List.of(values);
        return this;
    }

    public Slice<R> slice(ListQuery query) {
        var page = page(query);
        var rows = list(row -> row(row, query), page.statement(), page.parameters());
        var slice = slice(query, rows, page);
        return new Slice<>(slice.items().stream().map(Row::item).toList(), slice.total(), slice.nextCursor());
    }

    /**
     * Adds other rows to each row of the page, in the same statement and so in the same snapshot.
     *
     * @param columns the columns of the added rows, with the alias {@code a}
     * @param added a query that returns the rows to add to the row {@code p}, in their order
     * @param many reads an added row; empty if there is none
     * @param beforeLarge runs before a page with many added rows is read; null if the request counts as large
     */
    public <B, T> Slice<T> sliceWithMany(
            ListQuery query,
            String columns,
            String added,
            Sql.Reader<Optional<B>> many,
            BiFunction<R, List<B>, T> both,
            @Nullable Runnable beforeLarge) {
        var page = page(query);
        // The columns of the page are only in the first added row. They can contain long texts, and PostgreSQL would
        // otherwise send these texts with each added row. Only the items are sorted, in the order of the page,
        // so PostgreSQL rarely sorts again.
        var statement =
                "SELECT p.id AS page_id, a.number AS added_number, e.*, " + columns + " FROM (" + page.statement()
                        + ") p LEFT JOIN LATERAL (SELECT b.*, row_number() OVER () AS number FROM (" + added
                        + ") b) a ON true LEFT JOIN LATERAL (SELECT p.* WHERE coalesce(a.number, 1) = 1) e ON true ORDER BY "
                        + order(query, expression(query, "p"), "p.id");
        Sql.Reader<Joined<R, B>> reader = row -> new Joined<>(
                Sql.uuid(row, "page_id"),
                row.getInt("added_number"),
                Sql.uuid(row, "id") == null ? null : row(row, query),
                many.read(row));
        if (beforeLarge != null) {
            var small = smallPage(list(reader, statement + " LIMIT " + (MAX_OF_SMALL_PAGE + 1), page.parameters()));
            if (small.isPresent()) {
                return sliceWithMany(query, small.get(), both, page);
            }
            beforeLarge.run();
        }
        return sliceWithMany(query, list(reader, statement, page.parameters()), both, page);
    }

    /** Empty if the page has more rows. The caller does not keep the rows while the request waits. */
    private static <R, B> Optional<List<Joined<R, B>>> smallPage(List<Joined<R, B>> joined) {
        return joined.size() > MAX_OF_SMALL_PAGE ? Optional.empty() : Optional.of(joined);
    }

    private <B, T> Slice<T> sliceWithMany(
            ListQuery query, List<Joined<R, B>> joined, BiFunction<R, List<B>, T> both, Page page) {
        var byItem = joined.stream().collect(Collectors.groupingBy(Joined::pageId));
        var rows = joined.stream().map(Joined::row).filter(Objects::nonNull).toList();
        var slice = slice(query, rows, page);
        var items = slice.items().stream()
                .map(row -> both.apply(row.item(), added(byItem.getOrDefault(row.id(), List.of()))))
                .toList();
        return new Slice<>(items, slice.total(), slice.nextCursor());
    }

    /** Sorts the added rows of an item, because the statement does not. */
    private static <B> List<B> added(List<? extends Joined<?, B>> joined) {
        return joined.stream()
                .sorted(Comparator.comparingInt(Joined::number))
                .flatMap(each -> each.added().stream())
                .toList();
    }

    private Slice<Row<R>> slice(ListQuery query, List<Row<R>> rows, Page page) {
        long total = rows.isEmpty() ? total(page) : rows.getFirst().total();
        return query.slice(rows, total, Row::requirePosition, Row::id);
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
        return list(
                table.reader(),
                "SELECT " + table.columns("e") + " FROM " + table.name() + " e WHERE " + allConditions()
                        + " ORDER BY e.id DESC LIMIT " + limit,
                parameters);
    }

    /**
     * The statement that reads a page.
     *
     * @param counting the query that reads only the total, in parentheses
     */
    private record Page(String statement, List<Object> parameters, String counting, List<Object> countedValues) {}

    private Page page(ListQuery query) {
        var counting =
                "(" + (count == null ? "SELECT count(*) FROM " + table.name() + " e WHERE " + allConditions() : count)
                        + ")";
        var countedValues = count == null ? List.copyOf(parameters) : countParameters;
        long offset = query.byCursor() ? 0 : query.offset();
        long needed = offset + limit(query);
        startAfterCursor(query);
        var values = new ArrayList<Object>();
        String statement;
        if (search != null && needed > NEAREST_ROWS) {
            statement = farPageOfWords(search.table, query);
            values.addAll(countedValues);
        } else if (search != null) {
            statement = pageOfWords(search.table, query, offset);
            values.addAll(parameters);
            values.addAll(countedValues);
            values.addAll(List.of(needed, needed));
            values.addAll(parameters);
            values.addAll(countedValues);
        } else {
            statement = offset >= DEEP_OFFSET ? deepPage(counting, query, offset) : page(counting, query, offset);
            values.addAll(countedValues);
            values.addAll(parameters);
        }
        if (offset > 0) {
            values.add(offset);
        }
        return new Page(statement, values, counting, countedValues);
    }

    /** Reads the total separately, because the statement of an empty page returns no row that contains it. */
    private long total(Page page) {
        var statement = "SELECT " + page.counting() + " AS " + TOTAL;
        return list(row -> row.getLong(TOTAL), statement, page.countedValues()).getFirst();
    }

    private void startAfterCursor(ListQuery query) {
        var cursor = query.cursor();
        if (cursor != null) {
            var after = query.sort().descending() ? " < " : " > ";
            if (orderedById) {
                where("e.id" + after + "?", cursor.id());
            } else {
                where("(" + expression(query, "e") + ", e.id)" + after + "(?, ?)", cursor.value(), cursor.id());
            }
        }
    }

    private String page(String counting, ListQuery query, long offset) {
        return "SELECT " + counting + " AS " + TOTAL + position(query, "e") + ", " + table.columns("e")
                + found(query, offset);
    }

    private String deepPage(String counting, ListQuery query, long offset) {
        return "SELECT " + counting + " AS " + TOTAL + position(query, "d") + ", " + table.columns("d")
                + " FROM (SELECT " + expression(query, "e") + " AS " + POSITION + ", e.id" + found(query, offset)
                + ") found JOIN " + table.name() + " d ON d.organization_id = :organization AND d.id = found.id"
                + " ORDER BY " + order(query, "found." + POSITION, "found.id");
    }

    private String pageOfWords(WordTable words, ListQuery query, long offset) {
        boolean descending = query.sort().descending();
        var kept = new ArrayList<>(conditions.subList(1, conditions.size()));
        kept.add("e.created_at " + (descending ? ">=" : "<=") + " coalesce((SELECT moment FROM last), '"
                + (descending ? "-" : "") + "infinity')");
        return PAGE_OF_WORDS.formatted(
                table.name(),
                allConditions(),
                order(query, "e.created_at", "e.id"),
                NEAREST_ROWS,
                words.match(),
                descending ? "min" : "max",
                String.join(" AND ", kept),
                words.rows(),
                TOTAL + position(query, "d") + ", " + table.columns("d"),
                limit(query) + (offset == 0 ? "" : " OFFSET ?"),
                order(query, "p.created_at", "p.id"));
    }

    private String farPageOfWords(WordTable words, ListQuery query) {
        return FAR_PAGE_OF_WORDS.formatted(
                table.name(),
                words.rows(),
                TOTAL + position(query, "d") + ", " + table.columns("d"),
                order(query, "e.created_at", "e.id"),
                limit(query),
                order(query, "p.created_at", "p.id"));
    }

    private static String position(ListQuery query, String alias) {
        return query.byCursor() ? ", " + expression(query, alias) + " AS " + POSITION : "";
    }

    /** The limit and an offset of 0 are literals. With parameters, PostgreSQL would plan each execution again. */
    private String found(ListQuery query, long offset) {
        return " FROM " + table.name() + " e WHERE " + allConditions() + " ORDER BY "
                + order(query, expression(query, "e"), "e.id") + " LIMIT " + limit(query)
                + (offset == 0 ? "" : " OFFSET ?");
    }

    private static int limit(ListQuery query) {
        // By cursor, one extra row shows whether there is a next page.
        return query.byCursor() ? query.perPage() + 1 : query.perPage();
    }

    private String allConditions() {
        return String.join(" AND ", conditions);
    }

    private String order(ListQuery query, String value, String id) {
        return (orderedById ? "" : value + direction(query) + ", ") + id + direction(query);
    }

    private static String direction(ListQuery query) {
        return query.sort().descending() ? " DESC" : "";
    }

    /** What the list is ordered by. The indexes have the same expressions. */
    private static String expression(ListQuery query, String alias) {
        return switch (query.sort().column()) {
            case RECORDED_AT -> "coalesce(" + alias + ".recorded_at, " + alias + ".created_at)";
            // Byte order, so that every database has the same list.
            case TITLE -> alias + ".title COLLATE \"C\"";
            case CREATED_AT, UPDATED_AT, DELETED_AT, PROGRESS ->
                alias + '.' + query.sort().name();
        };
    }

    private <T> List<T> list(Sql.Reader<T> reader, String statement, List<Object> values) {
        return planned
                ? TenantSql.current().listPlanned(reader, statement, values.toArray())
                : TenantSql.current().list(reader, statement, values.toArray());
    }

    private static Object stored(Object value) {
        return value instanceof Enum<?> constant ? EnumNames.format(constant) : value;
    }

    /** An item of the page, with the total of the list, and its position in the list for cursors. */
    private record Row<R>(long total, @Nullable Object position, UUID id, R item) {
        Object requirePosition() {
            return Objects.requireNonNull(position);
        }
    }

    /**
     * An added row with the id of its item of the page.
     *
     * @param number the position among the added rows of the item, starting at 1; 0 if it has none
     * @param row the item; only for its first added row
     * @param added empty if nothing is added to the item
     */
    private record Joined<R, B>(
            UUID pageId, int number, @Nullable Row<R> row, Optional<B> added) {}

    private Row<R> row(ResultSet row, ListQuery query) throws SQLException {
        var position = query.byCursor() ? position(row, query.sort()) : null;
        return new Row<>(
                row.getLong(TOTAL),
                position,
                Sql.uuid(row, "id"),
                table.reader().read(row));
    }

    private static Object position(ResultSet row, Sort sort) throws SQLException {
        return switch (sort.column()) {
            case CREATED_AT, UPDATED_AT, RECORDED_AT, DELETED_AT -> Sql.instant(row, POSITION);
            case TITLE -> row.getString(POSITION);
            case PROGRESS -> row.getBigDecimal(POSITION);
        };
    }
}
