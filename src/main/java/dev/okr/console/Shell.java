package dev.okr.console;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data that every page shows around its content.
 *
 * @param section the active entry of the navigation; may be empty
 * @param user the name of the user; null if unknown
 * @param writer whether the user may create and change objectives, key results and check-ins
 * @param trial whether the user tries the service without a provider
 * @param signedIn whether there is a session to end
 * @param navigation whether the page has the navigation
 * @param formToken the token for the page's forms; empty without sign-in
 * @param flash the message about the previous form
 */
public record Shell(
        String section,
        @Nullable String user,
        @Nullable String organization,
        boolean admin,
        boolean writer,
        boolean trial,
        boolean signedIn,
        boolean navigation,
        String formToken,
        @Nullable String flash,
        String stylesheet,
        String script) {
    private static final Set<String> SETTINGS =
            Set.of("settings", "people", "teams", "api-keys", "webhooks", "audit", "data");

    /** Whether the page is one of the settings. */
    public boolean inSettings() {
        return SETTINGS.contains(section);
    }
}
