package dev.okr.console;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import org.jspecify.annotations.Nullable;

/**
 * The position of a page in its list.
 *
 * @param previous the URL of the previous page; null on the first page
 * @param next the URL of the next page; null on the last page
 */
public record Paging(
        long page,
        long pages,
        long total,
        @Nullable String previous,
        @Nullable String next) {

    /** @param path the URL of the list, with its filters */
    public static Paging of(ListQuery query, Slice<?> slice, String path) {
        long pages = Math.max(1, Math.ceilDiv(slice.total(), query.perPage()));
        long page = query.page();
        return new Paging(
                page,
                pages,
                slice.total(),
                page > 1 ? address(query, path, Math.min(page - 1, pages)) : null,
                page < pages ? address(query, path, page + 1) : null);
    }

    public boolean isNeeded() {
        return previous != null || next != null;
    }

    private static String address(ListQuery query, String path, long page) {
        var address = path + (path.contains("?") ? "&" : "?") + "page=" + page;
        return query.perPage() == ListQuery.DEFAULT_PER_PAGE ? address : address + "&per_page=" + query.perPage();
    }
}
