package dev.okr.platform.http;

import java.util.List;
import java.util.function.Function;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** The envelope of a list (specification, section 2.1). */
public record Page<T>(List<T> data, Meta meta) {

    /** Where in the list this page stands. */
    @Schema(
            name = "PageMeta",
            description = "Where in the list this page stands.",
            examples = "{\"page\": 1, \"per_page\": 25, \"total\": 1}")
    public record Meta(
            @Schema(
                    description = "The number of this page, from 1.",
                    required = true,
                    minimum = "1",
                    format = "int32",
                    examples = "1")
            int page,

            @Schema(
                    description = "The most items that a page has.",
                    required = true,
                    minimum = "1",
                    maximum = "100",
                    format = "int32",
                    examples = "25")
            int perPage,

            @Schema(
                    description = "The number of items in the whole list.",
                    required = true,
                    minimum = "0",
                    format = "int64",
                    examples = "1")
            long total,

            @Schema(description = "The `cursor` to go on with; only when the request had one and there is more.")
            @Nullable
            String nextCursor) {}

    /** Answers 200 with a page and the links to its neighbours (RFC 8288). */
    public static <E, T> RestResponse<Page<T>> of(ListQuery query, Slice<E> slice, Function<E, T> representation) {
        var data = slice.items().stream().map(representation).toList();
        var meta = new Meta(query.page(), query.perPage(), slice.total(), slice.nextCursor());
        return RestResponse.ResponseBuilder.ok(new Page<>(data, meta))
                .header("Link", query.links(slice))
                .build();
    }
}
