package dev.okr.console;

import dev.okr.organizations.Plan;
import dev.okr.platform.http.Caller;

/** Who is using the console, as the database knew them when the request came. */
record ConsoleUser(Caller.Identity identity, String name, String organization, Plan plan) {
    boolean isAdmin() {
        return identity.isAdmin();
    }
}
