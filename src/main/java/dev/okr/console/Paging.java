package dev.okr.console;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import jakarta.ws.rs.core.UriInfo;
import org.jspecify.annotations.Nullable;

/**
 * Where in its list a page stands.
 *
 * @param previous the address of the page before, null on the first
 * @param next the address of the page behind, null on the last
 */
public record Paging(
        long page,
        long pages,
        long total,
        @Nullable String previous,
        @Nullable String next) {

    /** The query of a list whose pages have numbers, whatever its order: the console gives out no cursors. */
    static ListQuery query(UriInfo uri) {
        return ListQuery.byName(uri);
    }

    /** @param path the address of the list, with the filters it was asked for, if any */
    static Paging of(ListQuery query, Slice<?> slice, String path) {
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
