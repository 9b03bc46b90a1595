package dev.okr.operations.csv;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Builds external ids from the texts of cells. Different texts have different ids. */
final class CsvIds {
    private CsvIds() {}

    /** The texts with the separator between them. A separator inside a text is escaped. */
    static String join(List<String> texts, String separator) {
        return texts.stream()
                .map(text -> separator.isEmpty() ? encode(text) : escape(text, separator))
                .collect(Collectors.joining(encode(separator)));
    }

    /**
     * Escapes the first character of each separator. A separator can also begin at the end of the text and end in the
     * separator that follows: with the separator {@code ::}, the texts {@code a:} and {@code b} become {@code a%3A::b}.
     */
    private static String escape(String text, String separator) {
        var first = Character.toString(separator.codePointAt(0));
        var encoded = encode(first);
        // Both forms differ from each encoded text.
        var escaped = encoded.equals(first) ? percent((byte) first.charAt(0)) : '%' + encoded;
        var joined = text + separator;
        var id = new StringBuilder();
        int from = 0;
        for (int at = joined.indexOf(separator); at < text.length(); at = joined.indexOf(separator, from)) {
            id.append(encode(text.substring(from, at))).append(escaped);
            from = at + first.length();
        }
        return id.append(encode(text.substring(from))).toString();
    }

    /** An external id has visible ASCII characters only. All others are percent-encoded. */
    static String encode(String text) {
        var id = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            if (each > ' ' && each < 0x7F && each != '%') {
                id.append((char) each);
            } else {
                id.append(percent(each));
            }
        }
        return id.toString();
    }

    private static String percent(byte each) {
        return "%%%02X".formatted(each & 0xFF);
    }
}
