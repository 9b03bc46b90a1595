package dev.okr.users;

import java.util.regex.Pattern;

/**
 * What an email address may look like. It only has to be told from other text here; whether it exists is known to the
 * provider with which its owner signs in.
 */
public final class EmailAddress {
    public static final int MAX_CHARACTERS = 254;
    private static final Pattern FORM = Pattern.compile("[^\\s@<>\"]+@[^\\s@<>\"]+");

    private EmailAddress() {}

    public static boolean isValid(String text) {
        return text.codePointCount(0, text.length()) <= MAX_CHARACTERS
                && FORM.matcher(text).matches();
    }
}
