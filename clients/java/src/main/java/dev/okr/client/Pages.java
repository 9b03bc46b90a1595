package dev.okr.client;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Reads lists page by page. A page is requested when the stream needs its first item. */
public final class Pages {
    private Pages() {}

    /**
     * All items of a list with cursors. Nothing is skipped or repeated while others write.
     *
     * @param read reads the page at a cursor. The first cursor is empty
     */
    public static <T> Stream<T> all(Function<String, Page<T>> read) {
        return Stream.iterate(
                        read.apply(""),
                        page -> page != null,
                        page -> page.meta().nextCursor() == null
                                ? null
                                : read.apply(page.meta().nextCursor()))
                .map(Page::data)
                .flatMap(List::stream);
    }

    /**
     * All items of a list without cursors, such as teams and users.
     *
     * @param read reads the page with a number, from 1
     */
    public static <T> Stream<T> allByNumber(IntFunction<Page<T>> read) {
        return Stream.iterate(
                        read.apply(1),
                        page -> page != null,
                        page -> isLast(page) ? null : read.apply(page.meta().page() + 1))
                .map(Page::data)
                .flatMap(List::stream);
    }

    private static boolean isLast(Page<?> page) {
        return (long) page.meta().page() * page.meta().perPage() >= page.meta().total();
    }
}
