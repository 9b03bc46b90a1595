package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** The limit on request bodies. */
final class BodyLimit {
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final int MAX_LENGTH_DIGITS = 9;

    private BodyLimit() {}

    /** Refuses a body by its Content-Length, before it is read. */
    static void check(@Nullable String contentLength) {
        if (contentLength != null
                && (contentLength.length() > MAX_LENGTH_DIGITS || Integer.parseInt(contentLength) > MAX_BODY_BYTES)) {
            throw tooLarge();
        }
    }

    /** Reads a body up to one byte over the limit. */
    static byte[] read(InputStream body) throws IOException {
        var bytes = body.readNBytes(MAX_BODY_BYTES + 1);
        if (bytes.length > MAX_BODY_BYTES) {
            throw tooLarge();
        }
        return bytes;
    }

    static Failure tooLarge() {
        return Failure.of(ErrorCode.BODY_TOO_LARGE, "A request body may have at most 1 MiB.");
    }
}
