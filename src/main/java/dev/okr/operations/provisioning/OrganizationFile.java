package dev.okr.operations.provisioning;

import dev.okr.access.Scope;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of an organisation file. Users, keys and members keep their line numbers, because some errors appear only
 * when they are written.
 */
record OrganizationFile(List<Organization> organizations) {

    record Organization(String slug, String name, Plan plan, List<User> users, List<Team> teams) {}

    record User(int line, String email, String name, Role role, List<ApiKey> apiKeys) {}

    /** The token itself is not kept, so that it never appears in a log. */
    record ApiKey(
            int tokenLine,
            String name,
            byte[] tokenHash,
            Set<Scope> scopes,
            @Nullable Instant expiresAt) {

        boolean equalsStored(ProvisionedRows.Key stored) {
            return stored.hasToken(tokenHash)
                    && stored.scopes().equals(scopes)
                    && Objects.equals(stored.expiresAt(), expiresAt);
        }
    }

    record Team(String name, List<Member> members) {}

    record Member(int line, String email, TeamRole role) {}
}
