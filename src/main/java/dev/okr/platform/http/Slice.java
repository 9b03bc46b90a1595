package dev.okr.platform.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a list that a {@link ListQuery} asked for.
 *
 * @param total the number of items in the whole list
 * @param nextCursor where to go on, when the query had a cursor and there is more
 */
public record Slice<E>(List<E> items, long total, @Nullable String nextCursor) {}
