package dev.okr.webhooks;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The start of a response body.
 *
 * @param excerpt the stored excerpt; null if the body was empty
 * @param ended whether the body was read completely
 * @param failure the exception while the body was read; null if there was none
 */
record ResponseBody(
        @Nullable String excerpt, boolean ended, @Nullable IOException failure) {
    static final int MAX_BYTES = 16 * 1_024;

    /** Reads at most {@link #MAX_BYTES}. */
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
