package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Sort.Column;
import jakarta.ws.rs.core.UriInfo;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The query parameters of a list: paging and filters. Unknown parameters are rejected. */
public final class ListQuery extends QueryParameters {
    public static final int DEFAULT_PER_PAGE = 25;
    public static final int MAX_PER_PAGE = 100;

    public static final String PAGE_OUT_OF_RANGE = "The query parameter page must be from 1 to 2147483647.";

    public static final String PER_PAGE = "per_page";

    private static final String PAGE = "page";
    private static final String CURSOR = "cursor";
    private static final String SORT = "sort";
    public static final String INCLUDE = "include";

    /** The words that a search must find. */
    public static final String SEARCH = "q";

    private static final String EXTERNAL_ID = "external_id";
    private static final Set<String> PAGING = Set.of(PAGE, PER_PAGE, CURSOR);
    private static final BigInteger MAX_PAGE = BigInteger.valueOf(Integer.MAX_VALUE);
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,1000}");

    private final String path;
    private final int page;
    private final int perPage;
    private final Sort sort;
    private final boolean oldestFirst;
    private final boolean byCursor;
    private final @Nullable Cursor cursor;

    /** How a list can be read. */
    private enum Paging {
        PAGES,
        PAGES_OR_CURSORS,
        CURSORS
    }

    private ListQuery(UriInfo uri, Set<String> filters, Sort defaultSort, Paging paging) {
        super(uri, known(filters, paging));
        this.path = uri.getRequestUri().getRawPath();
        this.oldestFirst = paging == Paging.CURSORS;
        this.byCursor = oldestFirst || parameters.containsKey(CURSOR);
        refuseContradictions();
        this.perPage = readPerPage();
        this.sort = readSort(defaultSort);
        this.cursor = oldestFirst ? null : readCursor();
        this.page = cursor == null ? readPage() : cursor.page();
    }

    private static Set<String> known(Set<String> filters, Paging paging) {
        var known = new HashSet<>(filters);
        known.addAll(paging == Paging.PAGES ? List.of(PAGE, PER_PAGE) : PAGING);
        return known;
    }

    /** The query of a newest-first list, which can be read by cursor. */
    public static ListQuery newestFirst(UriInfo uri, String... filters) {
        return new ListQuery(uri, Set.of(filters), Sort.NEWEST, Paging.PAGES_OR_CURSORS);
    }

    /** The query of a list of check-ins, which can be read by cursor. The last recorded check-in is the first. */
    public static ListQuery lastRecordedFirst(UriInfo uri, String... filters) {
        return new ListQuery(uri, Set.of(filters), Sort.LAST_RECORDED, Paging.PAGES_OR_CURSORS);
    }

    /** The query of a list of deleted resources, which can be read by cursor. The last deleted one is the first. */
    public static ListQuery lastDeletedFirst(UriInfo uri, String... filters) {
        return new ListQuery(uri, Set.of(filters), Sort.LAST_DELETED, Paging.PAGES_OR_CURSORS);
    }

    /** The query of a list that is ordered by name. */
    public static ListQuery byName(UriInfo uri, String... filters) {
        return new ListQuery(uri, Set.of(filters), Sort.NEWEST, Paging.PAGES);
    }

    /** The query of a list that is only read by cursor, from its oldest item on. The list has its own cursors. */
    public static ListQuery oldestFirst(UriInfo uri, String... filters) {
        return new ListQuery(uri, Set.of(filters), Sort.NEWEST, Paging.CURSORS);
    }

    public int page() {
        return page;
    }

    public int perPage() {
        return perPage;
    }

    /** The number of items before the page. It can exceed an int. */
    public long offset() {
        return (page - 1L) * perPage;
    }

    /** Whether the request has a cursor, which can be empty, instead of a page number. */
    public boolean byCursor() {
        return byCursor;
    }

    /** The cursor of a list that is read from its oldest item on. Without the parameter, its text is empty. */
    public <T> T cursor(Function<String, Optional<T>> reader) {
        var text = parameters.getFirst(CURSOR);
        return reader.apply(text == null ? "" : text)
                .orElseThrow(() -> Failure.malformed("The query parameter cursor is not a cursor of this list."));
    }

    /** The position after which to continue. Null at the start. */
    public @Nullable Cursor cursor() {
        return cursor;
    }

    /** The order of the list, if it is not ordered by name. */
    public Sort sort() {
        return sort;
    }

    /**
     * Whether the request asks for nested resources.
     *
     * @param choice the only value that the parameter {@code include} may list
     */
    public boolean includes(String choice) {
        var included = value(
                INCLUDE,
                text -> Stream.of(text.split(",", -1)).allMatch(choice::equals) ? Optional.of(true) : Optional.empty(),
                choice);
        return included != null;
    }

    /** The constants to filter by, separated by commas. Null without the filter. */
    public <E extends Enum<E>> @Nullable List<E> constants(String filter, Class<E> type) {
        return parameters.containsKey(filter)
                ? value(filter, text -> parseAll(text, type), "one or more of: " + EnumNames.names(type))
                : null;
    }

    private static <E extends Enum<E>> Optional<List<E>> parseAll(String text, Class<E> type) {
        var names = List.of(text.split(",", -1));
        var found = names.stream()
                .flatMap(name -> EnumNames.parse(type, name).stream())
                .toList();
        return found.size() == names.size()
                ? Optional.of(found.stream().distinct().toList())
                : Optional.empty();
    }

    /** The text to filter by. Null without the filter. Text that no field can have matches nothing. */
    public @Nullable String text(String filter) {
        // PostgreSQL rejects text with NUL. No field with a filter is empty.
        return value(filter, text -> Optional.of(Text.isClean(text) ? text : ""), "text");
    }

    /** The words to search for. Null without the filter. */
    public @Nullable Words words() {
        return value(
                SEARCH,
                Words::searched,
                "1 to %d words with at most %d letters and digits each"
                        .formatted(Words.MAX_SEARCHED, Words.MAX_CHARACTERS));
    }

    /** The {@code external_id} to filter by. Null without the filter. Text that cannot be one matches nothing. */
    public @Nullable String externalId() {
        return value(EXTERNAL_ID, text -> Optional.of(Text.isExternalId(text) ? text : ""), "text");
    }

    /**
     * Removes the extra row after the page.
     *
     * @param rows up to {@link #perPage} rows, and one more if the list continues
     * @param value the value of the column that the list is sorted by
     */
    public <E> Slice<E> slice(List<E> rows, long total, Function<E, Object> value, Function<E, UUID> id) {
        if (!byCursor() || rows.size() <= perPage) {
            return new Slice<>(rows.size() > perPage ? rows.subList(0, perPage) : rows, total, null);
        }
        var last = rows.get(perPage - 1);
        // The page number is only displayed. It stops at the largest int.
        int next = page == Integer.MAX_VALUE ? page : page + 1;
        var cursor = new Cursor(next, sort, value.apply(last), id.apply(last));
        return new Slice<>(rows.subList(0, perPage), total, cursor.format());
    }

    /**
     * The value of the Link header. With a cursor it has first and next. Otherwise it has first, prev, next and last.
     */
    String links(Slice<?> slice) {
        var links = new ArrayList<String>();
        if (byCursor()) {
            links.add(link("first", CURSOR, ""));
            if (slice.nextCursor() != null) {
                links.add(link("next", CURSOR, slice.nextCursor()));
            }
            return String.join(", ", links);
        }
        long last = Math.max(1, Math.ceilDiv(slice.total(), perPage));
        links.add(link("first", PAGE, "1"));
        if (page > 1) {
            links.add(link("prev", PAGE, String.valueOf(Math.min(page - 1L, last))));
        }
        if (page < last) {
            links.add(link("next", PAGE, String.valueOf(page + 1L)));
        }
        links.add(link("last", PAGE, String.valueOf(last)));
        return String.join(", ", links);
    }

    private String link(String relation, String parameter, String value) {
        var query = new StringBuilder(parameter + '=' + value + '&' + PER_PAGE + '=' + perPage);
        parameters.forEach((name, values) -> {
            if (!PAGING.contains(name)) {
                query.append('&')
                        .append(name)
                        .append('=')
                        .append(URLEncoder.encode(values.getFirst(), StandardCharsets.UTF_8));
            }
        });
        // Concatenation is faster than parsing a format for each link.
        return '<' + path + '?' + query + ">; rel=\"" + relation + '"';
    }

    private void refuseContradictions() {
        if (oldestFirst && parameters.containsKey(PAGE)) {
            throw Failure.malformed("A list that starts with the oldest item has cursors instead of pages.");
        }
        if (parameters.containsKey(CURSOR) && parameters.containsKey(PAGE)) {
            throw Failure.malformed("The query parameters page and cursor cannot be combined.");
        }
    }

    private int readPage() {
        var value = number(PAGE, BigInteger.ONE);
        if (value.signum() <= 0 || value.compareTo(MAX_PAGE) > 0) {
            throw Failure.malformed(PAGE_OUT_OF_RANGE);
        }
        return value.intValueExact();
    }

    /**
     * Whether a request asks for more rows than the default.
     *
     * @param perPage the query parameter; null if there is none
     */
    public static boolean isLargePage(@Nullable String perPage) {
        return perPage != null
                && DIGITS.matcher(perPage).matches()
                && new BigInteger(perPage).compareTo(BigInteger.valueOf(DEFAULT_PER_PAGE)) > 0;
    }

    private int readPerPage() {
        var value = number(PER_PAGE, BigInteger.valueOf(DEFAULT_PER_PAGE));
        if (value.signum() <= 0) {
            throw Failure.malformed("The query parameter per_page must be at least 1.");
        }
        return value.min(BigInteger.valueOf(MAX_PER_PAGE)).intValueExact();
    }

    private BigInteger number(String name, BigInteger defaultValue) {
        var text = parameters.getFirst(name);
        if (text == null) {
            return defaultValue;
        }
        if (!DIGITS.matcher(text).matches()) {
            throw Failure.malformed("The query parameter %s must be a positive whole number.".formatted(name));
        }
        return new BigInteger(text);
    }

    private Sort readSort(Sort defaultSort) {
        var columns = new Column[] {Column.CREATED_AT, Column.UPDATED_AT, Column.TITLE, Column.PROGRESS};
        var read = value(
                SORT,
                text -> Sort.parse(text, columns),
                "created_at, updated_at, title or progress. A hyphen in front selects the descending order");
        return read == null ? defaultSort : read;
    }

    private @Nullable Cursor readCursor() {
        var text = parameters.getFirst(CURSOR);
        if (text == null || text.isEmpty()) {
            return null;
        }
        var parsed = Cursor.parse(text, sort);
        if (parsed == null) {
            throw Failure.malformed("The query parameter cursor is not a cursor of this list in this order.");
        }
        return parsed;
    }
}
