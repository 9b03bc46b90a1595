package dev.okr.webhooks;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The start of a response body. Not thread-safe. */
final class ResponseBody {
    static final int MAX_BYTES = 16 * 1_024;

    /** A smaller part counts as this many bytes, because each part needs processor time. */
    private static final int MIN_BYTES_OF_PART = 64;

    private byte[] excerpt = {};
    private long length;

    /** Adds a part, and returns whether enough of the body has arrived. */
    boolean add(Buffer part) {
        // One byte more than the excerpt shows that its last character is cut.
        int added = Math.min(part.length(), Excerpt.MAX_BYTES + 1 - excerpt.length);
        if (added > 0) {
            int end = excerpt.length;
            excerpt = Arrays.copyOf(excerpt, end + added);
            part.getBytes(0, added, excerpt, end);
        }
        length += Math.max(part.length(), MIN_BYTES_OF_PART);
        return length >= MAX_BYTES;
    }

    /** The stored excerpt; null if the body is empty. */
    @Nullable
    String excerpt() {
        return Excerpt.of(excerpt, excerpt.length);
    }
}
