package dev.okr.console;

import dev.okr.organizations.Plan;
import dev.okr.platform.http.Caller;

/** The user of the console, as read from the database for this request. */
public record ConsoleUser(Caller.Identity identity, String name, String organization, Plan plan) {
    boolean isAdmin() {
        return identity.isAdmin();
    }
}
