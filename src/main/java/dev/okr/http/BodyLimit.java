package dev.okr.http;

import dev.okr.errors.ErrorCode;
import dev.okr.errors.Failure;
import java.io.IOException;
import java.io.InputStream;

/** The limit on request bodies (contract, section 5). */
final class BodyLimit {
    static final int MAX_BODY_BYTES = 1 << 20;

    private BodyLimit() {}

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
