package dev.okr.console;

import dev.okr.access.SignedIn;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;

/** Who is using the console, as the database knew them when the request came. */
record Person(SignedIn signedIn, String name, String organization, Plan plan) {
    boolean isAdmin() {
        return signedIn.role() == Role.ADMIN;
    }
}
