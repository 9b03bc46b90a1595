package dev.okr.console;

import org.jspecify.annotations.Nullable;

/**
 * The data that every page shows around its content.
 *
 * @param section the active entry of the navigation; may be empty
 * @param user the name of the user; null if unknown
 * @param formToken the token for the page's forms; empty without sign-in
 * @param flash the message about the previous form
 */
public record Shell(
        String section,
        @Nullable String user,
        @Nullable String organization,
        boolean admin,
        String formToken,
        @Nullable String flash,
        String stylesheet,
        String script) {

    /** Whether there is a session to end. */
    public boolean signedIn() {
        return !formToken.isEmpty();
    }
}
