package dev.okr.operations.provisioning;

import static dev.okr.operations.provisioning.MigratedDatabase.answer;
import static dev.okr.operations.provisioning.MigratedDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.access.Token;
import dev.okr.organizations.audit.AccessLock;
import dev.okr.organizations.audit.ChangeEvents;
import dev.okr.platform.transactions.Sql;
import dev.okr.testing.HttpTest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProvisionerTest {
    private static final int DIGITS = 62;
    private static final Instant NOW = Instant.parse("2026-11-21T09:00:00Z");

    /** Values that no other test uses. */
    private final String slug = UUID.randomUUID().toString();

    private final String email = "ada@" + slug + ".test";
    private final String token = newToken();
    private final String file = """
            organizations:
              - slug: %s
                name: Acme Corp
                plan: business
                users:
                  - email: %s
                    name: Ada Lovelace
                    role: admin
                    api_keys:
                      - name: ci
                        token: %s
                teams:
                  - name: Growth
                    members:
                      - email: %s
                        role: lead
            """.formatted(slug, email, token, email);

    @Test
    void a_first_start_creates_everything_and_a_second_writes_nothing() throws Exception {
        assertThat(apply(file)).isEqualTo(5);
        assertThat(apply(file)).isZero();

        assertThat(answer("SELECT plan FROM organization WHERE slug = ?", slug)).isEqualTo("business");
        assertThat(user("role")).isEqualTo("admin");
        assertThat(key(
                        "encode(token_hash, 'hex') = encode(sha256(?::bytea), 'hex')",
                        token.getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo("t");
        assertThat(key("scopes")).isEqualTo("{read,write,webhooks}");
        assertThat(member()).isEqualTo("lead");
    }

    @Test
    void a_start_without_a_new_line_does_not_wait_for_an_import() throws Exception {
        apply(file);
        try (var connection = MigratedDatabase.get().getConnection();
                var executor = Executors.newSingleThreadExecutor()) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT 1 FROM organization WHERE slug = '" + slug + "' FOR UPDATE");
                statement.execute("SELECT 1 FROM users WHERE email = '" + email + "' FOR UPDATE");
            }
            var start = executor.submit(() -> apply(file));
            try {
                assertThat(start.get(10, TimeUnit.SECONDS)).isZero();
            } finally {
                // Before the executor waits for its thread.
                connection.rollback();
            }
        }
    }

    @Test
    void a_start_that_changes_an_organisation_stops_its_import() throws Exception {
        apply(file);
        var organization = UUID.fromString(organization("id"));
        try (var connection = MigratedDatabase.get().getConnection();
                var executor = Executors.newSingleThreadExecutor()) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("SELECT 1 FROM organization WHERE slug = '" + slug + "' FOR NO KEY UPDATE");
            }
            var start = executor.submit(() -> apply(file.replace("role: admin", "role: member")));
            try {
                HttpTest.await(() -> isAccessLocked(organization), () -> "the signal to imports");
            } finally {
                connection.rollback();
            }
            assertThat(start.get(10, TimeUnit.SECONDS)).isPositive();
        }
    }

    private static boolean isAccessLocked(UUID organization) {
        try (var connection = MigratedDatabase.get().getConnection()) {
            return AccessLock.isShared(new Sql(connection), organization);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void each_change_by_the_file_adds_one_audit_entry_without_names() throws Exception {
        apply(file);
        apply(file);
        assertThat(audited())
                .isEqualTo("api_key_created,organization_created,team_created,team_member_set,user_invited");

        apply(file.replace("role: admin", "role: viewer").replace("plan: business", "plan: enterprise"));
        apply(file.replace("Ada Lovelace", "Ada Byron").replace(token, newToken()));
        assertThat(audited())
                .contains("organization_plan_changed", "user_role_changed", "user_renamed", "api_key_changed");
        assertThat(answer("""
                SELECT count(*) FROM audit_entry a JOIN organization o ON o.id = a.organization_id
                WHERE o.slug = ? AND (a.actor <> 'organization_file' OR a::text LIKE '%Ada%')
                """, slug)).isEqualTo("0");
    }

    private String audited() {
        return answer("""
                SELECT string_agg(a.action, ',' ORDER BY a.action) FROM audit_entry a
                JOIN organization o ON o.id = a.organization_id WHERE o.slug = ?
                """, slug);
    }

    @Test
    void changes_by_people_stay_until_the_file_changes() throws Exception {
        apply(file);
        execute("UPDATE organization SET name = 'Acme Inc', plan = 'free' WHERE slug = ?", slug);
        execute("UPDATE users SET name = 'Ada King', role = 'viewer' WHERE email = ?", email);
        execute("UPDATE team_member SET role = 'member' WHERE user_id = ?::uuid", user("id"));

        assertThat(apply(file)).isZero();
        assertThat(organization("name")).isEqualTo("Acme Inc");
        assertThat(user("role")).isEqualTo("viewer");
        assertThat(member()).isEqualTo("member");

        apply(file.replace("role: admin", "role: member").replace("plan: business", "plan: enterprise"));
        assertThat(organization("name")).isEqualTo("Acme Inc");
        assertThat(organization("plan")).isEqualTo("enterprise");
        assertThat(user("name")).isEqualTo("Ada King");
        assertThat(user("role")).isEqualTo("member");
        assertThat(member()).isEqualTo("member");
    }

    @Test
    void revocation_and_deactivation_are_never_undone() throws Exception {
        apply(file);
        execute("UPDATE users SET deactivated_at = now() WHERE email = ?", email);
        execute("UPDATE api_key SET revoked_at = now() WHERE user_id = ?::uuid", user("id"));

        apply(file.replace("Ada Lovelace", "Ada King").replace(token, newToken()));

        assertThat(user("name")).isEqualTo("Ada King");
        assertThat(user("deactivated_at")).isNotEqualTo("null");
        assertThat(key("revoked_at")).isNotEqualTo("null");
    }

    @Test
    void a_new_token_scope_or_expiry_changes_the_existing_key() throws Exception {
        apply(file);
        var id = key("id");
        var newToken = newToken();
        var rest = "\n            scopes: [write]\n            expires_at: 2001-01-01T00:00:00Z";

        apply(file.replace(token, newToken + rest));

        assertThat(key("id")).isEqualTo(id);
        assertThat(key("token_hash = ?", Token.hash(newToken))).isEqualTo("t");
        assertThat(key("scopes")).isEqualTo("{write}");
        assertThat(key("extract(year FROM expires_at)")).isEqualTo("2001");
        apply(file);
        assertThat(key("expires_at")).isEqualTo("null");
    }

    @Test
    void users_and_teams_stay_after_their_removal_from_the_file() throws Exception {
        apply(file);

        apply("organizations: [{slug: %s, name: Acme Corp, plan: business}]".formatted(slug));

        assertThat(user("role")).isEqualTo("admin");
        assertThat(member()).isEqualTo("lead");
    }

    @Test
    void email_addresses_are_case_insensitive() throws Exception {
        apply(file);

        apply(file.replace(email, email.toUpperCase(java.util.Locale.ROOT)).replace("Ada Lovelace", "Ada King"));

        assertThat(user("name")).isEqualTo("Ada King");
    }

    @Test
    void a_member_may_be_a_user_who_is_not_in_the_file() throws Exception {
        apply(file);

        apply("""
                organizations:
                  - {slug: %s, name: Acme Corp, plan: business, teams: [{name: Growth, members: [{email: %s, role: member}]}]}
                """.formatted(slug, email));

        assertThat(member()).isEqualTo("member");
    }

    @Test
    void tokens_and_users_of_other_organisations_stop_the_whole_file() throws Exception {
        apply(file);
        var other = slug + "-2";
        var wrong = file.replace("slug: " + slug, "slug: " + other)
                .replace("email: " + email + "\n        name", "email: b@%s.test\n        name".formatted(slug))
                .replace("lead", "member");

        assertThatThrownBy(() -> apply(wrong)).hasMessage("""
                        organizations.yaml line 11: this token belongs to another API key
                        organizations.yaml line 15: "%s" is not a user of the organisation""".formatted(email));
        assertThatThrownBy(() -> apply(file.replace("slug: " + slug, "slug: " + other)))
                .message()
                .contains("line 6: \"%s\" is a user of another organisation".formatted(email));
        assertThat(answer("SELECT count(*) FROM organization WHERE slug = ?", other))
                .isEqualTo("0");
    }

    @Test
    void replicas_that_start_together_apply_the_file_once() throws Exception {
        try (var executor = Executors.newFixedThreadPool(8)) {
            Callable<Integer> start = () -> apply(file);
            var writes = executor.invokeAll(
                    IntStream.range(0, 8).mapToObj(i -> start).toList());
            assertThat(writes.stream().mapToInt(done -> done.resultNow()).sum()).isEqualTo(5);
        }
    }

    private int apply(String content) throws SQLException, InvalidOrganizationFile {
        var name = "organizations.yaml";
        var parsed = OrganizationFileParser.parse(content.getBytes(StandardCharsets.UTF_8), name);
        return Provisioning.write(MigratedDatabase.get(), parsed, name, NOW, ChangeEvents.NONE);
    }

    private String organization(String column) {
        return answer("SELECT " + column + " FROM organization WHERE slug = ?", slug);
    }

    private String user(String column) {
        return answer("SELECT " + column + " FROM users WHERE email = ?", email);
    }

    private String key(String expression, Object... parameters) {
        return answer(
                "SELECT " + expression + " FROM api_key WHERE provisioned_as = 'ci' AND user_id = '" + user("id") + "'",
                parameters);
    }

    private String member() {
        return answer("SELECT role FROM team_member WHERE user_id = ?::uuid", user("id"));
    }

    private static String newToken() {
        var random = new SecureRandom();
        return Token.generate(() -> random.nextInt(DIGITS));
    }
}
