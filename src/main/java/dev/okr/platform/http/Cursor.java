package dev.okr.platform.http;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position in a list, directly after this item.
 *
 * @param page the number of the page that starts here
 * @param value the item's value of the column that the list is sorted by: an Instant, a BigDecimal or a String
 */
public record Cursor(int page, Sort sort, Object value, UUID id) {
    private static final int BYTES = Integer.BYTES + 3 * Long.BYTES;
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final Pattern PROGRESS = Pattern.compile("[01](?:\\.[0-9]{1,4})?");

    /** Between the order and a value that is not a time. */
    private static final char SEPARATOR = '=';

    /**
     * Page, time and id. A list that is not in its default order adds the order, so that a cursor is not used with
     * another order, and the value if it is not a time.
     */
    String format() {
        var order = sort.isDefault() ? "" : sort.toString();
        var rest = (value instanceof Instant ? order : order + SEPARATOR + value).getBytes(StandardCharsets.UTF_8);
        var bytes = ByteBuffer.allocate(BYTES + rest.length)
                .putInt(page)
                .putLong(value instanceof Instant time ? ChronoUnit.MICROS.between(Instant.EPOCH, time) : 0)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .put(rest)
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Parses a cursor of a list with this order. Null for any other text. */
    static @Nullable Cursor parse(String text, Sort sort) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.capacity() < BYTES) {
                return null;
            }
            int page = bytes.getInt();
            long micros = bytes.getLong();
            var id = new UUID(bytes.getLong(), bytes.getLong());
            var value = value(sort, micros, StandardCharsets.UTF_8.decode(bytes).toString());
            return page > 1 && value != null ? new Cursor(page, sort, value, id) : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    private static @Nullable Object value(Sort sort, long micros, String rest) {
        var order = sort.isDefault() ? "" : sort.toString();
        var prefix = order + SEPARATOR;
        return switch (sort.column()) {
            case CREATED_AT, UPDATED_AT, RECORDED_AT, DELETED_AT -> rest.equals(order) ? time(micros) : null;
            case TITLE -> rest.startsWith(prefix) ? title(rest.substring(prefix.length())) : null;
            case PROGRESS -> rest.startsWith(prefix) ? progress(rest.substring(prefix.length())) : null;
        };
    }

    private static @Nullable Instant time(long micros) {
        var time = Instant.ofEpochSecond(Math.floorDiv(micros, MICROS_PER_SECOND))
                .plus(Math.floorMod(micros, MICROS_PER_SECOND), ChronoUnit.MICROS);
        boolean inRange = time.isAfter(Instant.parse("0000-12-31T23:59:59Z"))
                && time.isBefore(Instant.parse("+10000-01-01T00:00:00Z"));
        return inRange ? time : null;
    }

    private static @Nullable String title(String text) {
        return Text.isClean(text) && !Text.isLonger(text, Text.MAX_TITLE_CODE_POINTS) ? text : null;
    }

    private static @Nullable BigDecimal progress(String text) {
        return PROGRESS.matcher(text).matches() ? new BigDecimal(text) : null;
    }
}
