package dev.okr.webhooks;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The start of a response body, as text that PostgreSQL can store and the console can show. */
final class Excerpt {
    static final int MAX_BYTES = 1_024;

    private static final char REPLACEMENT = '\uFFFD';

    private Excerpt() {}

    /** @return null if there is no text */
    static @Nullable String of(byte[] bytes, int length) {
        int kept = Math.min(length, MAX_BYTES);
        var text = CharBuffer.allocate(kept);
        var decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE);
        // With endOfInput false, the decoder drops a character that the limit has cut.
        boolean complete = kept == length;
        decoder.decode(ByteBuffer.wrap(bytes, 0, kept), text, complete);
        return text.position() == 0 ? null : printable(text.flip());
    }

    private static String printable(CharBuffer text) {
        var printable = new StringBuilder(text.length());
        text.chars()
                .mapToObj(character -> (char) character)
                .forEach(character -> printable.append(isPrintable(character) ? character : REPLACEMENT));
        return printable.toString();
    }

    private static boolean isPrintable(char character) {
        return character == '\n' || character == '\t' || !Character.isISOControl(character);
    }
}
