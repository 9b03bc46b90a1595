package dev.okr.operations.provisioning;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The content of an organisation file. Parts keep their line numbers, for errors that only the database can show.
 */
record OrganizationFile(List<Organization> organizations) {

    record Organization(String slug, String name, Plan plan, List<User> users, List<Team> teams) {}

    record User(int line, String email, String name, Role role, List<ApiKey> apiKeys) {}

    record ApiKey(
            String name,
            Secret token,
            Set<Scope> scopes,
            @Nullable Instant expiresAt) {

        boolean equalsStored(ProvisionedRows.Key stored) {
            return stored.hasToken(token.hash())
                    && stored.scopes().equals(scopes)
                    && Objects.equals(stored.expiresAt(), expiresAt);
        }
    }

    record Team(String name, List<Member> members) {}

    record Member(int line, String email, TeamRole role) {}

    /** A token that never appears in the text form of an object. */
    static final class Secret {
        private final int line;
        private final String token;

        Secret(int line, String token) {
            this.line = line;
            this.token = token;
        }

        int line() {
            return line;
        }

        boolean isWellFormed() {
            return Token.isWellFormed(token);
        }

        byte[] hash() {
            return Token.hash(token);
        }

        @Override
        public String toString() {
            return "token of line " + line;
        }
    }
}
