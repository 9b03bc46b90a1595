package dev.okr.platform.http;

/** The rules for text. */
public final class Text {
    /** The longest title or name. It has at least one character. */
    public static final int MAX_TITLE_CODE_POINTS = 250;

    /** The longest description or note. */
    public static final int MAX_NOTE_CODE_POINTS = 4_096;

    /** The longest id of another system. It has at least one character. */
    public static final int MAX_EXTERNAL_ID_CHARACTERS = 255;

    private static final int MAX_ECHOED_CHARACTERS = 100;
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

    /** The start of a caller's text, safe to log and to send back. */
    static String printable(String text) {
        var printable = new StringBuilder();
        text.codePoints()
                .limit(MAX_ECHOED_CHARACTERS)
                .forEach(codePoint -> printable.appendCodePoint(isClean(codePoint) ? codePoint : REPLACEMENT));
        return printable.toString();
    }

    private static boolean isClean(int codePoint) {
        return codePoint == '\n'
                || codePoint == '\t'
                || (Character.getType(codePoint) != Character.CONTROL
                        && Character.getType(codePoint) != Character.SURROGATE);
    }
}
