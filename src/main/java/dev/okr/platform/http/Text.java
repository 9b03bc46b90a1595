package dev.okr.platform.http;

/** The rules for text (contract, section 1). */
public final class Text {
    private static final int MAX_ECHOED_CHARACTERS = 100;
    private static final char REPLACEMENT = '\uFFFD';

    private Text() {}

    /** Trims, and makes every line break a line feed. */
    public static String normalize(String raw) {
        return raw.replace("\r\n", "\n").strip();
    }

    /** Whether text has neither control characters, but for newline and tab, nor lone surrogates. */
    public static boolean isClean(String text) {
        return text.codePoints().allMatch(Text::isClean);
    }

    /** A caller's own words, short and harmless enough to be sent back. */
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
