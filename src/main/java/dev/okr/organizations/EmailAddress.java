package dev.okr.organizations;

import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Text;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An email address. It identifies one user among all organisations. The case of ASCII letters does not matter. All
 * other characters are compared exactly. Otherwise addresses of different people could be equal, because
 * {@code lower()} makes the Kelvin sign a {@code k}.
 */
public record EmailAddress(String text) {
    public static final int MAX_CHARACTERS = 254;

    /** The condition for the user with an address. The index {@code users_email_ascii} has the same expression. */
    public static final String EQUALS = "lower(email COLLATE \"C\") = lower(? COLLATE \"C\")";

    private static final int CASE_BIT = 0x20;

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
    public static Optional<FieldError> error(String text) {
        if (text.length() > MAX_CHARACTERS) {
            return Optional.of(
                    new FieldError("", "too_long", "This field may have at most " + MAX_CHARACTERS + " characters."));
        }
        return hasForm(text)
                ? Optional.empty()
                : Optional.of(new FieldError("", "invalid_format", "This field must be an email address."));
    }

    /** The text of equal addresses. */
    public static String key(String address) {
        return address.chars()
                .map(character -> character >= 'A' && character <= 'Z' ? character | CASE_BIT : character)
                .collect(StringBuilder::new, (key, character) -> key.append((char) character), StringBuilder::append)
                .toString();
    }

    /**
     * Creates a random address for a user who is erased. An import keeps the addresses of the erased users in its file.
     * So an imported user could already have an address that is made from an id. Nobody can register a domain under
     * {@code .invalid} (RFC 2606).
     */
    public static EmailAddress ofErased() {
        return new EmailAddress(UUID.randomUUID() + ERASED_DOMAIN);
    }

    /** Whether the text is the address of an erased user. */
    public static boolean isErased(String text) {
        return text.length() <= MAX_CHARACTERS
                && FORM.matcher(text).matches()
                && Text.isClean(text)
                && text.endsWith(ERASED_DOMAIN);
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
