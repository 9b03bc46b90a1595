package dev.okr.webhooks;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a response's body.
 *
 * @param excerpt what is kept of it; null for nothing
 * @param ended whether this was all of it
 * @param failure why it could not be read to its end or {@link #MAX_BYTES}; null when it could
 */
record ResponseBody(
        @Nullable String excerpt, boolean ended, @Nullable IOException failure) {
    static final int MAX_BYTES = 16 * 1_024;

    /** Reads as far as the limit and no further. */
    static ResponseBody read(@Nullable InputStream stream) {
        var bytes = new byte[MAX_BYTES];
        int length = 0;
        boolean ended = stream == null;
        IOException failure = null;
        try {
            while (stream != null && !ended && length < MAX_BYTES) {
                int read = stream.read(bytes, length, MAX_BYTES - length);
                ended = read < 0;
                length += Math.max(read, 0);
            }
        } catch (IOException e) {
            failure = e;
        }
        return new ResponseBody(Excerpt.of(bytes, length), ended, failure);
    }
}
