package dev.okr.console;

import org.jspecify.annotations.Nullable;

/**
 * What all pages show around their content.
 *
 * @param section the entry of the navigation that the page belongs to, empty for none
 * @param person the name of whoever is using the page; null when that is not known
 * @param formToken for the forms of the page; empty when nobody has signed in
 * @param flash what became of the form that was sent before
 */
public record Shell(
        String section,
        @Nullable String person,
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
