package dev.okr.operations.provisioning;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an organisation file says (contract, section 6). Each part knows its line, for what can only be found wrong
 * when the database is asked.
 */
record OrganizationFile(List<Organization> organizations) {

    record Organization(String slug, String name, Plan plan, List<User> users, List<Team> teams) {}

    record User(int line, String email, String name, Role role, List<ApiKey> apiKeys) {}

    record ApiKey(
            String name,
            Secret token,
            Set<Scope> scopes,
            @Nullable Instant expiresAt) {}

    record Team(String name, List<Member> members) {}

    record Member(int line, String email, TeamRole role) {}

    /** A token, of which no text form shows anything. */
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
