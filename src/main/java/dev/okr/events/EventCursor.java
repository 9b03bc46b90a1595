package dev.okr.events;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a reader of the list with {@code order=asc} continues.
 *
 * @param position the position of the last event that was read; 0 at the start
 * @param readUntil the reader has all events that are older than this; null at the start
 */
record EventCursor(long position, @Nullable Instant readUntil) {
    static final EventCursor START = new EventCursor(0, null);

    private static final int BYTES = 2 * Long.BYTES;

    /** Parses a cursor. An empty text is the start. Empty for any other text. */
    static Optional<EventCursor> parse(String text) {
        if (text.isEmpty()) {
            return Optional.of(START);
        }
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.capacity() != BYTES) {
                return Optional.empty();
            }
            long position = bytes.getLong();
            long seconds = bytes.getLong();
            boolean valid = position >= 0 && seconds >= 0 && seconds <= Instant.MAX.getEpochSecond();
            return valid
                    ? Optional.of(new EventCursor(position, seconds == 0 ? null : Instant.ofEpochSecond(seconds)))
                    : Optional.empty();
        } catch (IllegalArgumentException notBase64) {
            return Optional.empty();
        }
    }

    String format() {
        var bytes = ByteBuffer.allocate(BYTES)
                .putLong(position)
                .putLong(readUntil == null ? 0 : readUntil.getEpochSecond())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** @throws Failure if events that this reader has not read may be deleted already */
    void requireValid(Instant now, Duration validity) {
        if (readUntil != null && readUntil.isBefore(now.minus(validity))) {
            throw Failure.of(ErrorCode.CURSOR_EXPIRED);
        }
    }
}
