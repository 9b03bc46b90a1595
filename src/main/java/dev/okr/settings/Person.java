package dev.okr.settings;

import dev.okr.auth.SignedIn;
import dev.okr.organizations.Plan;
import dev.okr.users.Role;

/** Who is using the console, as the database knew them when the request came. */
record Person(SignedIn signedIn, String name, String organization, Plan plan) {
    boolean isAdmin() {
        return signedIn.role() == Role.ADMIN;
    }
}
