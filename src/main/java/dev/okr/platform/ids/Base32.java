package dev.okr.platform.ids;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/** A UUID as 26 lower-case characters of Crockford's base32, most significant bits first, as in TypeID 0.3. */
final class Base32 {
    static final int LENGTH = 26;

    private static final String ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
    private static final byte[] DIGITS = ALPHABET.getBytes(StandardCharsets.US_ASCII);
    private static final int BITS_PER_CHARACTER = 5;
    private static final int MASK = 31;
    private static final byte[] VALUES = values();

    private Base32() {}

    /** @param start the ASCII characters before the id */
    static String encode(byte[] start, UUID id) {
        var text = Arrays.copyOf(start, start.length + LENGTH);
        long high = id.getMostSignificantBits();
        long low = id.getLeastSignificantBits();
        for (int i = text.length - 1; i >= start.length; i--) {
            text[i] = DIGITS[(int) (low & MASK)];
            low = (low >>> BITS_PER_CHARACTER) | (high << (Long.SIZE - BITS_PER_CHARACTER));
            high >>>= BITS_PER_CHARACTER;
        }
        return new String(text, StandardCharsets.US_ASCII);
    }

    /** Decodes {@value #LENGTH} characters from an offset. They have 130 bits, so the first character is at most 7. */
    static Optional<UUID> decode(String text, int offset) {
        if (text.charAt(offset) > '7') {
            return Optional.empty();
        }
        long high = 0;
        long low = 0;
        for (int i = offset; i < offset + LENGTH; i++) {
            char character = text.charAt(i);
            int value = character < VALUES.length ? VALUES[character] : -1;
            if (value < 0) {
                return Optional.empty();
            }
            high = (high << BITS_PER_CHARACTER) | (low >>> (Long.SIZE - BITS_PER_CHARACTER));
            low = (low << BITS_PER_CHARACTER) | value;
        }
        return Optional.of(new UUID(high, low));
    }

    private static byte[] values() {
        var values = new byte['z' + 1];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < ALPHABET.length(); i++) {
            values[ALPHABET.charAt(i)] = (byte) i;
        }
        return values;
    }
}
