package dev.okr.platform.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param total the number of items in the whole list
 * @param nextCursor the cursor of the next page, if the query has a cursor and there are more items
 */
public record Slice<E>(List<E> items, long total, @Nullable String nextCursor) {}
