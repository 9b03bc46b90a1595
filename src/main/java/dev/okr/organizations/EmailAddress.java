package dev.okr.organizations;

import dev.okr.platform.http.Text;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The address that tells a person from all others of the whole service, in whatever case it is written. */
public record EmailAddress(String text) {
    public static final int MAX_CHARACTERS = 254;

    // Whether mail arrives is for the mail to tell: this only refuses what is something else altogether.
    private static final Pattern FORM = Pattern.compile("[^\\s@<>\"]+@[^\\s@<>\"]+");

    private static final String NOBODYS = "@erased.invalid";

    /** Empty for a text that is no address; it is not trimmed. */
    public static Optional<EmailAddress> parse(String text) {
        return text.length() <= MAX_CHARACTERS && hasForm(text)
                ? Optional.of(new EmailAddress(text))
                : Optional.empty();
    }

    /** An address that can never be anyone's: nobody can register a domain below {@code .invalid} (RFC 2606). */
    static EmailAddress nobody(UUID userId) {
        return new EmailAddress(userId + NOBODYS);
    }

    /** Whether a text is one but perhaps for its length; those that stand for erased people are none. */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches()
                && Text.isClean(text)
                && !text.toLowerCase(Locale.ROOT).endsWith(NOBODYS);
    }

    @Override
    public String toString() {
        return text;
    }
}
