package dev.okr.organizations;

import java.util.Optional;
import java.util.regex.Pattern;

/** The name by which operators and organisation files know an organisation, for as long as it exists. */
public record Slug(String text) {
    public static final int MAX_CHARACTERS = 63;
    public static final String RULE =
            "must be letters, digits, dots, hyphens and underscores, beginning with a letter or digit";

    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

    /** Empty for a text that is no slug; it is not trimmed. */
    public static Optional<Slug> parse(String text) {
        return text.length() <= MAX_CHARACTERS && hasForm(text) ? Optional.of(new Slug(text)) : Optional.empty();
    }

    /** Whether a text is one but perhaps for its length. */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
