package dev.okr.operations.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OrganizationFileParserTest {
    private static final String TOKEN = Token.generate(() -> 7);
    private static final String OTHER_TOKEN = Token.generate(() -> 8);

    private static final String FILE = """
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
            """.formatted(TOKEN);

    @Test
    void a_complete_file_is_parsed() throws InvalidOrganizationFile {
        var organization = parse(FILE).organizations().getFirst();

        assertThat(organization.slug()).isEqualTo("acme");
        assertThat(organization.name()).isEqualTo("Acme Corp");
        assertThat(organization.plan()).isEqualTo(Plan.BUSINESS);
        var user = organization.users().getFirst();
        assertThat(user.email()).isEqualTo("ada@acme.test");
        assertThat(user.role()).isEqualTo(Role.ADMIN);
        var apiKey = user.apiKeys().getFirst();
        assertThat(apiKey.name()).isEqualTo("ci");
        assertThat(apiKey.tokenHash()).isEqualTo(Token.hash(TOKEN));
        assertThat(apiKey.scopes()).containsExactly(Scope.READ, Scope.WRITE);
        assertThat(apiKey.expiresAt()).isEqualTo(Instant.parse("2027-01-01T00:00:00Z"));
        var member = organization.teams().getFirst().members().getFirst();
        assertThat(member.role()).isEqualTo(TeamRole.LEAD);
    }

    @Test
    void users_teams_members_keys_scopes_and_expiry_are_optional() throws InvalidOrganizationFile {
        var file = parse("""
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
                """.formatted(TOKEN));

        var acme = file.organizations().getLast();
        assertThat(file.organizations().getFirst().users()).isEmpty();
        assertThat(acme.users().getFirst().apiKeys()).isEmpty();
        assertThat(acme.users().getLast().apiKeys().getFirst().scopes()).isEqualTo(EnumSet.allOf(Scope.class));
        assertThat(acme.users().getLast().apiKeys().getFirst().expiresAt()).isNull();
        assertThat(acme.teams()).allMatch(team -> team.members().isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            role: admin           | role: boss          | 8  | role must be one of viewer, member, admin, not "boss"
            role: admin           | role: Admin         | 8  | role must be one of viewer, member, admin, not "Admin"
            role: admin           | role: yes           | 8  | role must be text: put it in quotes
            role: admin           | role: !!int 1       | 8  | role must be text: put it in quotes
            role: admin           | role: !x admin      | 8  | role must be text: put it in quotes
            role: admin           | role: [admin]       | 8  | role must be text
            role: admin           | roles: admin        | 8  | "roles" is not a known key here; known keys are email, name, role, api_keys
            role: admin           | <<: {role: admin}   | 8  | "<<" is not a known key here; known keys are email, name, role, api_keys
            role: admin           | [a]: b              | 8  | "" is not a known key here; known keys are email, name, role, api_keys
            role: admin           | status: active      | 6  | role is missing
            role: lead            | role: owner         | 18 | role must be one of lead, member, not "owner"
            plan: business        | plan: gold          | 4  | plan must be one of free, team, business, enterprise, not "gold"
            plan: business        | slug: again         | 4  | slug occurs twice
            slug: acme            | slug: Acme Corp     | 2  | slug must be letters, digits, dots, hyphens and underscores, beginning with a letter or digit
            slug: acme            | slug: ''            | 2  | slug is empty
            slug: acme            | slug: 12            | 2  | slug must be text: put it in quotes
            name: Acme Corp       | name:               | 2  | name is missing
            name: Acme Corp       | name: "a\\0b"        | 3  | name has control characters
            name: Acme Corp       | name: "a\\uD800b"    | 3  | name has control characters
            email: ada@acme.test  | email: ada          | 6  | email must be an address, not "ada"
            name: ci              | key: ci             | 10 | name is missing
            scopes: [read, write] | scopes: [read, all] | 12 | each of scopes must be one of read, write, webhooks, not "all"
            scopes: [read, write] | scopes: []          | 12 | scopes must name at least one of read, write, webhooks
            scopes: [read, write] | scopes: read        | 12 | scopes must be a list
            2027-01-01T00:00:00Z  | 2027-01-01          | 13 | expires_at must be a timestamp such as 2027-01-01T00:00:00Z, not "2027-01-01"
            teams:                | team:               | 14 | "team" is not a known key here; known keys are slug, name, plan, users, teams
            role: lead            | role: "lead         | 19 | not YAML: found unexpected end of stream
            """)
    void an_error_has_a_line_number(String right, String wrong, int line, String message) {
        assertThat(right).isSubstringOf(FILE);
        assertThatThrownBy(() -> parse(replaceFirst(right, wrong)))
                .isInstanceOf(InvalidOrganizationFile.class)
                .message()
                .contains("organizations.yaml line " + line + ": " + message);
    }

    @Test
    void all_errors_are_reported_in_the_order_of_lines() {
        var file = FILE.replace("role: lead", "role: x")
                .replace("plan: business", "plan: x")
                .replace("Acme Corp", "''");

        assertThatThrownBy(() -> parse(file))
                .hasMessageMatching("(?s)organizations.yaml line 3: .*\n.* line 4: .*\n.* line 18: .*");
    }

    @Test
    void a_duplicate_value_is_reported_with_the_line_of_the_first_one() {
        var user = "{email: %s, name: N, role: viewer, api_keys: [%s]}";
        var file = """
                organizations:
                  - {slug: a, name: A, plan: free}
                  - slug: a
                    name: A
                    plan: free
                    users:
                      - %s
                      - %s
                      - %s
                    teams:
                      - name: T
                        members:
                          - {email: a@b.test, role: lead}
                          - {email: A@b.test, role: lead}
                      - name: T
                """.formatted(
                user.formatted("a@b.test", ""),
                user.formatted("A@B.test", "{name: k, token: %s}".formatted(TOKEN)),
                user.formatted("c@b.test", "{name: k, token: %s}, {name: k, token: %s}".formatted(TOKEN, OTHER_TOKEN)));

        assertThatThrownBy(() -> parse(file)).hasMessage("""
                        organizations.yaml line 3: slug "a" is already in line 2
                        organizations.yaml line 8: email "A@B.test" is already in line 7
                        organizations.yaml line 9: this token is already in line 8
                        organizations.yaml line 9: API key "k" is already in line 9
                        organizations.yaml line 14: member "A@b.test" is already in line 13
                        organizations.yaml line 15: team "T" is already in line 11""");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "token: %s",
                "token: x%s",
                "token: [%s]",
                "%s: token",
                "role: %s",
                "role: \"%s",
                "? *%s",
                "role: !%s x"
            })
    void no_message_shows_a_token(String line) {
        var secret = TOKEN.substring(0, TOKEN.length() - 1);
        var file = replaceFirst("token: " + TOKEN, line.formatted(secret));

        assertThatThrownBy(() -> parse(file))
                .isInstanceOf(InvalidOrganizationFile.class)
                .message()
                .startsWith("organizations.yaml line 1")
                .doesNotContain(secret.substring(Token.PREFIX.length()));
    }

    @Test
    void a_token_with_a_wrong_checksum_is_rejected() {
        var wrong = TOKEN.substring(0, TOKEN.length() - 1) + (TOKEN.endsWith("0") ? '1' : '0');

        assertThatThrownBy(() -> parse(FILE.replace(TOKEN, wrong)))
                .hasMessage("organizations.yaml line 11: token does not have the format of an API key"
                        + " (okr_, 43 characters and their checksum)");
    }

    @Test
    void other_files_are_rejected() {
        assertRefused("", ": the file is empty");
        assertRefused("# only a comment", ": the file is empty");
        assertRefused("[]", " line 1: a mapping is required here, with the keys organizations");
        assertRefused("{}", " line 1: organizations is missing");
        assertRefused("organizations: {}", " line 1: organizations must be a list");
        assertRefused(
                "organizations:\n  - x",
                " line 2: a mapping is required here, with the keys slug, name, plan, users, teams");
        assertRefused("organizations: []\n---\na: b", " line 2: not YAML: but found another document");
        assertRefused("a: &a [1]\nb: *a", " line 2: aliases (*name) are not allowed; repeat the text");
    }

    @Test
    void aliases_cannot_expand_to_a_huge_document() {
        var bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            bomb.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(9)));
        }

        assertThatThrownBy(() -> parse(bomb.toString())).hasMessageContaining("line 2: aliases");
    }

    @Test
    void deeply_nested_large_and_binary_files_are_rejected() {
        assertThatThrownBy(() -> parse("[".repeat(5_000))).hasMessageStartingWith("organizations.yaml");
        assertThatThrownBy(() -> parse("#".repeat(YamlDocument.MAX_BYTES + 1)))
                .hasMessage("organizations.yaml: the file is larger than 4 MiB");
        assertThatThrownBy(() -> OrganizationFileParser.parse(new byte[] {(byte) 0xC3, '('}, "o.yaml"))
                .hasMessage("o.yaml: the file is not UTF-8");
        assertThatThrownBy(() -> parse("a: b\nc: \u0007"))
                .hasMessage("organizations.yaml line 2: not YAML: the file contains a character that is not printable");
    }

    private static void assertRefused(String content, String message) {
        assertThatThrownBy(() -> parse(content)).hasMessage("organizations.yaml" + message);
    }

    private static OrganizationFile parse(String content) throws InvalidOrganizationFile {
        return OrganizationFileParser.parse(content.getBytes(StandardCharsets.UTF_8), "organizations.yaml");
    }

    private static String replaceFirst(String text, String other) {
        int start = FILE.indexOf(text);
        return FILE.substring(0, start) + other + FILE.substring(start + text.length());
    }
}
