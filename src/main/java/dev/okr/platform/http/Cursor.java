package dev.okr.platform.http;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A position in a newest-first list, directly after this item.
 *
 * @param page the number of the page that starts here
 */
public record Cursor(int page, Instant createdAt, UUID id) {
    private static final int BYTES = Integer.BYTES + 3 * Long.BYTES;
    private static final long MICROS_PER_SECOND = 1_000_000;

    String format() {
        var bytes = ByteBuffer.allocate(BYTES)
                .putInt(page)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt))
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Parses a cursor of this service. Null for any other text. */
    static @Nullable Cursor parse(String text) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.capacity() != BYTES) {
                return null;
            }
            int page = bytes.getInt();
            long micros = bytes.getLong();
            var createdAt = Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND))
                    .plus(Math.floorMod(micros, MICROS_PER_SECOND), ChronoUnit.MICROS);
            boolean inRange = createdAt.isAfter(Instant.parse("0000-12-31T23:59:59Z"))
                    && createdAt.isBefore(Instant.parse("+10000-01-01T00:00:00Z"));
            return page > 1 && inRange ? new Cursor(page, createdAt, new UUID(bytes.getLong(), bytes.getLong())) : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }
}
