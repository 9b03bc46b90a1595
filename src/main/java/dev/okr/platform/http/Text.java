package dev.okr.platform.http;

import java.util.regex.Pattern;

/** The rules for text. */
public final class Text {
    /** The longest title or name. It has at least one character. */
    public static final int MAX_TITLE_CODE_POINTS = 250;

    /** The longest description or note. */
    public static final int MAX_NOTE_CODE_POINTS = 4_096;

    /** The longest id of another system. It has at least one character. */
    public static final int MAX_EXTERNAL_ID_CHARACTERS = 255;

    private static final int MAX_ECHOED_CHARACTERS = 100;
    private static final String API_KEY_PREFIX = "okr_";

    /** Matches a whole API key, or a part of one with at least 20 characters after the prefix. */
    private static final Pattern API_KEY = Pattern.compile(API_KEY_PREFIX + "[0-9A-Za-z]{20,}");

    private static final String MASKED_API_KEY = API_KEY_PREFIX + "***";
    private static final char REPLACEMENT = '\uFFFD';

    private Text() {}

    /** Trims the text and converts CRLF to LF. */
    public static String normalize(String raw) {
        return raw.replace("\r\n", "\n").strip();
    }

    /** Whether the text has no lone surrogates and no control characters except newline and tab. */
    public static boolean isClean(String text) {
        return text.codePoints().allMatch(Text::isClean);
    }

    public static boolean isLonger(String text, int maxCodePoints) {
        return text.codePointCount(0, text.length()) > maxCodePoints;
    }

    /** Whether the text can be the id of a resource in another system: only visible ASCII characters. */
    static boolean isExternalId(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_EXTERNAL_ID_CHARACTERS
                && text.chars().allMatch(character -> character > ' ' && character < '\u007F');
    }

    /** Whether the text contains something like an API key. */
    static boolean hasApiKey(String text) {
        return text.contains(API_KEY_PREFIX) && API_KEY.matcher(text).find();
    }

    /** The start of a caller's text, safe to log and to send back. API keys in it are masked. */
    static String printable(String text) {
        var masked = text.contains(API_KEY_PREFIX) ? API_KEY.matcher(text).replaceAll(MASKED_API_KEY) : text;
        var printable = new StringBuilder();
        int at = 0;
        for (int count = 0; count < MAX_ECHOED_CHARACTERS && at < masked.length(); count++) {
            int codePoint = masked.codePointAt(at);
            printable.appendCodePoint(isClean(codePoint) ? codePoint : REPLACEMENT);
            at += Character.charCount(codePoint);
        }
        return printable.toString();
    }

    private static boolean isClean(int codePoint) {
        return codePoint == '\n'
                || codePoint == '\t'
                || (Character.getType(codePoint) != Character.CONTROL
                        && Character.getType(codePoint) != Character.SURROGATE);
    }
}
