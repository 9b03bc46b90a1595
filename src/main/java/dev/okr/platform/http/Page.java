package dev.okr.platform.http;

import java.util.List;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** The envelope of a list. */
public record Page<T>(List<T> data, Meta meta) {

    /** The position of the page in the list. */
    @Schema(
            name = "PageMeta",
            description = "The position of the page in the list.",
            examples = "{\"page\": 1, \"per_page\": 25, \"total\": 1}")
    public record Meta(
            @Schema(description = "The number of this page, from 1.", minimum = "1", format = "int32", examples = "1")
            int page,

            @Schema(
                    description = "The maximum number of items on a page.",
                    minimum = "1",
                    maximum = "100",
                    format = "int32",
                    examples = "25")
            int perPage,

            @Schema(
                    description = "The number of items in the whole list.",
                    minimum = "0",
                    format = "int64",
                    examples = "1")
            long total,

            @Schema(
                    description =
                            "The `cursor` of the next page. Present only if the request had a cursor and there are more items.")
            @Nullable
            String nextCursor) {}

    /** Responds with a page of items that are records of the API. */
    public static <T> RestResponse<Page<T>> of(ListQuery query, Slice<T> slice) {
        return of(query, slice, slice.items());
    }

    public static <E, T> RestResponse<Page<T>> of(ListQuery query, Slice<E> slice, Function<E, T> representation) {
        return of(query, slice, slice.items().stream().map(representation).toList());
    }

    /** Responds with 200, a page and the Link header (RFC 8288). */
    private static <T> RestResponse<Page<T>> of(ListQuery query, Slice<?> slice, List<T> data) {
        var meta = new Meta(query.page(), query.perPage(), slice.total(), slice.nextCursor());
        return RestResponse.ResponseBuilder.ok(new Page<>(data, meta))
                .header("Link", query.links(slice))
                .build();
    }
}
