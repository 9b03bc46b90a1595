package dev.okr.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.auth.Scope;
import dev.okr.auth.Token;
import dev.okr.organizations.Plan;
import dev.okr.teams.TeamRole;
import dev.okr.users.Role;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OrganizationFileParserTest {
    private static final String TOKEN = Token.generate(() -> 7);
    private static final String OTHER_TOKEN = Token.generate(() -> 8);

    private static final String FILE =
            """
            organizations:
              - slug: acme
                name: Acme Corp
                plan: business
                users:
                  - email: ada@acme.test
                    name: Ada Lovelace
                    role: admin
                    api_keys:
                      - name: ci
                        token: %s
                        scopes: [read, write]
                        expires_at: 2027-01-01T00:00:00Z
                teams:
                  - name: Growth
                    members:
                      - email: Ada@acme.test
                        role: lead
            """
                    .formatted(TOKEN);

    @Test
    void a_whole_file_is_read() throws InvalidOrganizationFile {
        var organization = parse(FILE).organizations().getFirst();

        assertThat(organization.slug()).isEqualTo("acme");
        assertThat(organization.name()).isEqualTo("Acme Corp");
        assertThat(organization.plan()).isEqualTo(Plan.BUSINESS);
        var user = organization.users().getFirst();
        assertThat(user.email()).isEqualTo("ada@acme.test");
        assertThat(user.role()).isEqualTo(Role.ADMIN);
        var apiKey = user.apiKeys().getFirst();
        assertThat(apiKey.name()).isEqualTo("ci");
        assertThat(apiKey.token().hash()).isEqualTo(Token.hash(TOKEN));
        assertThat(apiKey.scopes()).containsExactly(Scope.READ, Scope.WRITE);
        assertThat(apiKey.expiresAt()).isEqualTo(Instant.parse("2027-01-01T00:00:00Z"));
        var member = organization.teams().getFirst().members().getFirst();
        assertThat(member.role()).isEqualTo(TeamRole.LEAD);
    }

    @Test
    void users_teams_members_keys_scopes_and_expiry_may_be_missing() throws InvalidOrganizationFile {
        var file = parse(
                """
                organizations:
                  - {slug: empty, name: Empty, plan: free}
                  - slug: acme
                    name: "2024"
                    plan: team
                    users:
                      - {email: a@b.test, name: A, role: viewer}
                      - email: b@b.test
                        name: B
                        role: member
                        api_keys: [{name: ci, token: %s}]
                    teams:
                      - name: Growth
                      - {name: Platform, members: }
                """
                        .formatted(TOKEN));

        var acme = file.organizations().getLast();
        assertThat(file.organizations().getFirst().users()).isEmpty();
        assertThat(acme.users().getFirst().apiKeys()).isEmpty();
        assertThat(acme.users().getLast().apiKeys().getFirst().scopes()).isEqualTo(EnumSet.allOf(Scope.class));
        assertThat(acme.users().getLast().apiKeys().getFirst().expiresAt()).isNull();
        assertThat(acme.teams()).allMatch(team -> team.members().isEmpty());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            textBlock =
                    """
            role: admin        | role: boss          | 8  | role must be one of viewer, member, admin, not "boss"
            role: admin        | role: Admin         | 8  | role must be one of viewer, member, admin, not "Admin"
            role: admin        | role: yes           | 8  | role must be text: put it in quotes
            role: admin        | role: [admin]       | 8  | role must be text
            role: admin        | roles: admin        | 8  | "roles" is no key here; there are email, name, role, api_keys
            role: admin        | ro: &a x            | 8  | "ro" is no key here; there are email, name, role, api_keys
            plan: business     | plan: gold          | 4  | plan must be one of free, team, business, enterprise, not "gold"
            plan: business     | slug: again         | 4  | slug stands here twice
            slug: acme         | slug: Acme Corp     | 2  | slug must be lower-case letters, digits and single hyphens between them
            slug: acme         | slug: ''            | 2  | slug is empty
            slug: acme         | slug: 12            | 2  | slug must be text: put it in quotes
            name: Acme Corp    | name:               | 2  | name is missing
            name: Acme Corp    | name: "a\\0b"       | 3  | name has control characters
            name: Acme Corp    | name: "a\\uD800b"   | 3  | name has control characters
            email: ada@acme    | email: ada@acme     | 18 | -
            email: ada@acme.test | email: ada        | 6  | email must be an address, not "ada"
            role: lead         | role: owner         | 18 | role must be one of lead, member, not "owner"
            scopes: [read, write] | scopes: [read, all] | 12 | each of scopes must be one of read, write, webhooks, not "all"
            scopes: [read, write] | scopes: []       | 12 | scopes must name at least one of read, write, webhooks
            scopes: [read, write] | scopes: read     | 12 | scopes must be a list
            2027-01-01T00:00:00Z | 2027-01-01        | 13 | expires_at must be a timestamp such as 2027-01-01T00:00:00Z, not "2027-01-01"
            members:           | members: &x         | 17 | -
            """)
    void what_is_wrong_is_told_with_its_line(String right, String wrong, int line, String message) {
        if (message.equals("-")) {
            return;
        }
        assertThatThrownBy(() -> parse(FILE.replaceFirst(java.util.regex.Pattern.quote(right), java.util.regex.Matcher.quoteReplacement(wrong))))
                .isInstanceOf(InvalidOrganizationFile.class)
                .message()
                .contains("organizations.yaml line " + line + ": " + message);
    }
}
