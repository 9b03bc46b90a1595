package dev.okr.platform.idempotency;

import dev.okr.platform.errors.Failure;
import java.util.List;
import java.util.Optional;

/**
 * The header {@code Idempotency-Key}: 1 to 255 visible ASCII characters, with or without quotes.
 */
final class IdempotencyKey {
    static final String HEADER = "Idempotency-Key";

    private static final int MAX_CHARACTERS = 255;

    private IdempotencyKey() {}

    /**
     * The key of a request, without quotes. Empty if the request has none.
     *
     * @throws Failure if the header is not a valid key
     */
    static Optional<String> of(List<String> headers) {
        if (headers.isEmpty()) {
            return Optional.empty();
        }
        var key = unquoted(headers.getFirst().strip());
        if (headers.size() > 1
                || key.isEmpty()
                || key.length() > MAX_CHARACTERS
                || !key.chars().allMatch(IdempotencyKey::isVisible)) {
            throw Failure.malformed("The header %s must be one key of 1 to %d visible ASCII characters."
                    .formatted(HEADER, MAX_CHARACTERS));
        }
        return Optional.of(key);
    }

    private static String unquoted(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        return quoted ? text.substring(1, text.length() - 1) : text;
    }

    private static boolean isVisible(int character) {
        return character > ' ' && character < '\u007F';
    }
}
