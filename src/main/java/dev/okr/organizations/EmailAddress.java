package dev.okr.organizations;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Text;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** An email address. It identifies one user among all organisations. Its case does not matter. */
public record EmailAddress(String text) {
    public static final int MAX_CHARACTERS = 254;

    // Only rejects text that is clearly not an address. Whether mail arrives cannot be checked here.
    private static final Pattern FORM = Pattern.compile("[^\\s@<>\"]+@[^\\s@<>\"]+");

    private static final String ERASED_DOMAIN = "@erased.invalid";

    /** Returns empty if the text is not an address. The text is not trimmed. */
    public static Optional<EmailAddress> parse(String text) {
        return text.length() <= MAX_CHARACTERS && hasForm(text)
                ? Optional.of(new EmailAddress(text))
                : Optional.empty();
    }

    /** The error of a field that must be an address. The text is not trimmed. */
    static Optional<FieldError> error(String text) {
        if (text.length() > MAX_CHARACTERS) {
            return Optional.of(
                    new FieldError("", "too_long", "This field may have at most " + MAX_CHARACTERS + " characters."));
        }
        return hasForm(text)
                ? Optional.empty()
                : Optional.of(new FieldError("", "invalid_format", "This field must be an email address."));
    }

    /** The address of an erased user. Nobody can register a domain under {@code .invalid} (RFC 2606). */
    public static EmailAddress ofErased(UUID userId) {
        return new EmailAddress(userId + ERASED_DOMAIN);
    }

    /** Checks everything but the length. Addresses of erased users are rejected. */
    public static boolean hasForm(String text) {
        return FORM.matcher(text).matches()
                && Text.isClean(text)
                && !text.toLowerCase(Locale.ROOT).endsWith(ERASED_DOMAIN);
    }

    @Override
    public String toString() {
        return text;
    }
}
