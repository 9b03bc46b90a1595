package dev.okr.organizations;

import java.util.Optional;
import java.util.regex.Pattern;

/** The short name of an organisation in commands and organisation files. It never changes. */
public record Slug(String text) {
    public static final int MAX_CHARACTERS = 63;
    public static final String RULE =
            "must be letters, digits, dots, hyphens and underscores, beginning with a letter or digit";

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

    /** Returns empty if the text is not a slug. The text is not trimmed. */
    public static Optional<Slug> parse(String text) {
        return text.length() <= MAX_CHARACTERS && hasForm(text) ? Optional.of(new Slug(text)) : Optional.empty();
    }

    /** Checks everything but the length. */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
