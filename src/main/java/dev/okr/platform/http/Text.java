package dev.okr.platform.http;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
    private static final String WEBHOOK_PREFIX = "whsec_";

    /**
     * Matches an API key or a webhook secret with at least 20 characters after the prefix, even if it is incomplete. Any
     * character may be percent-encoded. After a webhook secret, the rest of a path can match too, because base64 contains
     * {@code /}. Java matches a possessive quantifier without recursion, so a long text cannot overflow the stack.
     */
    private static final Pattern SECRET =
            Pattern.compile("(%s)(?:[0-9A-Za-z]|%%[3-7][0-9A-Fa-f]){20,}+|(%s)(?:[\\w+/=-]|%%[2-7][0-9A-Fa-f]){20,}+"
                    .formatted(anySpelling(API_KEY_PREFIX), anySpelling(WEBHOOK_PREFIX)));

    /** Keeps the prefix. Only one of the two groups matches. */
    private static final String MASKED = "$1$2***";

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

    /** Whether the text contains something like an API key or a webhook secret. */
    static boolean hasSecret(String text) {
        return canHaveSecret(text) && SECRET.matcher(text).find();
    }

    /** The start of a caller's text, safe to log and to send back. API keys and webhook secrets are masked. */
    static String printable(String text) {
        var masked = canHaveSecret(text) ? SECRET.matcher(text).replaceAll(MASKED) : text;
        var printable = new StringBuilder();
        int at = 0;
        for (int count = 0; count < MAX_ECHOED_CHARACTERS && at < masked.length(); count++) {
            int codePoint = masked.codePointAt(at);
            printable.appendCodePoint(isClean(codePoint) ? codePoint : REPLACEMENT);
            at += Character.charCount(codePoint);
        }
        return printable.toString();
    }

    /** A cheap check before the pattern, because it runs for nearly every request. */
    private static boolean canHaveSecret(String text) {
        return text.contains(API_KEY_PREFIX) || text.contains(WEBHOOK_PREFIX) || text.indexOf('%') >= 0;
    }

    /** A pattern for text in which any character may be percent-encoded. */
    private static String anySpelling(String text) {
        return text.chars()
                .mapToObj(character -> "(?:%1$c|(?i:%%%1$02x))".formatted(character))
                .collect(Collectors.joining());
    }

    private static boolean isClean(int codePoint) {
        return codePoint == '\n'
                || codePoint == '\t'
                || (Character.getType(codePoint) != Character.CONTROL
                        && Character.getType(codePoint) != Character.SURROGATE);
    }
}
