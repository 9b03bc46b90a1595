package dev.okr.console.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class PeoplePagesTest extends HttpTest {
    private static final String PEOPLE = "/settings/people";
    private static final String NEW = PEOPLE + "/new";
    private static final Duration EFFECTIVE_WITHIN = Duration.ofSeconds(5);

    @Test
    void an_invited_person_can_sign_in_at_once() {
        var email = address();
        var page =
                invite("Mary Jackson", email, "member").is(200).shows("Mary Jackson", email, "No invitation is sent");

        browser(email.toUpperCase(java.util.Locale.ROOT))
                .get("/settings/api-keys")
                .is(200)
                .shows("Mary Jackson", "Acme Corp");
        admin().get(PEOPLE).is(200).shows(email, "Mary Jackson", "Ada Lovelace", "(you)");
        assertThat(entries("user_invited", id(page))).isOne();
    }

    @Test
    void an_email_address_is_unique_in_the_whole_service() {
        var taken = List.of(
                acme.memberUser().email(), organization().memberUser().email().toUpperCase(java.util.Locale.ROOT));
        for (var email : taken) {
            invite("Mary <b>Jackson</b>", email, "admin")
                    .is(409)
                    .shows(
                            "This email address already belongs to a user.",
                            "aria-describedby=\"email-error\"",
                            "value=\"admin\" checked",
                            "Mary &lt;b&gt;Jackson");
        }
        assertThat(people()).isEqualTo(3);
        assertThat(allEntries()).isZero();
    }

    @Test
    void only_the_case_of_ascii_letters_is_ignored() {
        var name = "mark" + System.nanoTime();
        invite("Mark", name + "@acme.test", "member").is(200);
        browser(name.toUpperCase(java.util.Locale.ROOT) + "@Acme.test")
                .get("/settings/api-keys")
                .is(200);
        // The Kelvin sign. PostgreSQL's lower() makes it a k.
        browser(name.replace('k', '\u212A') + "@acme.test")
                .get("/settings/api-keys")
                .is(403)
                .shows("No active user");
    }

    @Test
    void a_change_of_an_admin_who_was_deactivated_meanwhile_is_rejected() throws Exception {
        var browser = admin();
        var token = browser.get(NEW).formToken();
        try (var threads = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor();
                var other = TestDatabase.connect()) {
            other.setAutoCommit(false);
            try (var statement = other.createStatement()) {
                statement.execute("SELECT 1 FROM organization WHERE id = '%s' FOR NO KEY UPDATE".formatted(acme.id()));
                var change = threads.submit(() ->
                        browser.post(PEOPLE, "form_token", token, "name", "x", "email", address(), "role", "member"));
                Thread.sleep(1_000);
                statement.execute("UPDATE users SET deactivated_at = now() WHERE id = '%s'"
                        .formatted(acme.adminUser().uuid()));
                other.commit();
                change.get().is(403);
            }
        }
        assertThat(people()).isEqualTo(3);
    }

    @Test
    void errors_in_an_invitation_are_shown_next_to_the_fields() {
        admin().submit(NEW, PEOPLE, "name", "", "email", "not an address", "role", "owner")
                .is(422)
                .shows("Enter a name.", "This is not a valid email address.", "Select an option.", "not an address");
        invite("x", " ", "member").is(422).shows("Enter an email address.");
        invite("x", "x".repeat(250) + "@acme.test", "member").is(422).shows("This is not a valid email address.");
        assertThat(people()).isEqualTo(3);
    }

    @Test
    void a_role_change_applies_to_the_next_request() {
        var member = browser(acme.memberUser().email());
        member.get("/settings/audit").is(403);
        changeRole(acme.memberUser(), "admin").is(200).shows("The role is changed.");
        member.get("/settings/audit").is(200).shows("Ada Lovelace", "changed the role of", "role from member to admin");
        assertThat(entries("user_role_changed", acme.memberUser().id())).isOne();

        changeRole(acme.memberUser(), "admin").is(200);
        assertThat(allEntries()).isOne();
        changeRole(acme.memberUser(), "king").is(422).shows("Select an option.");
    }

    @Test
    void the_last_admin_keeps_the_role() {
        changeRole(acme.adminUser(), "member")
                .is(409)
                .shows("The organisation needs another active admin first.", "aria-describedby=\"role-error\"");
        var second = acme.user("Mary Jackson", "admin");
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", second.uuid());
        changeRole(acme.adminUser(), "viewer").is(409);
        assertThat(allEntries()).isZero();

        TestDatabase.execute("UPDATE users SET deactivated_at = NULL WHERE id = ?", second.uuid());
        changeRole(acme.adminUser(), "member").is(200).shows("The role is changed.");
        admin().get(PEOPLE).is(403);
    }

    @Test
    void a_deactivated_person_is_rejected_by_the_console_at_once_and_by_the_api_soon() {
        var person = acme.memberUser();
        var browser = browser(person.email());
        person.api().get("/v1/users/me").is(200);
        var deactivation = PEOPLE + '/' + person.id() + "/deactivate";
        admin().get(deactivation).is(200).shows("Within five seconds", "do not change");
        admin().submit(deactivation, deactivation).is(200).shows("The person is deactivated.", "Deactivated");

        browser.get("/settings/api-keys").is(403).shows("No active user");
        becomes(401, person);
        assertThat(entries("user_deactivated", person.id())).isOne();

        var page = PEOPLE + '/' + person.id();
        admin().submit(page, page + "/reactivate").is(200).shows("The person is reactivated");
        browser.get("/settings/api-keys").is(200);
        becomes(200, person);
        assertThat(entries("user_reactivated", person.id())).isOne();
    }

    @Test
    void admins_cannot_deactivate_themselves() {
        acme.user("Mary Jackson", "admin");
        var own = PEOPLE + '/' + acme.adminUser().id();
        admin().get(own).shows("You cannot deactivate yourself.").hides(own + "/deactivate");
        admin().get(own + "/deactivate").is(200).shows("You cannot deactivate yourself.");
        admin().submit(own, own + "/deactivate").is(409).shows("You cannot deactivate yourself.");
        admin().get(PEOPLE).is(200);
        assertThat(allEntries()).isZero();
    }

    @Test
    void an_erased_person_cannot_be_changed() {
        var person = acme.memberUser();
        TestDatabase.execute(
                "UPDATE users SET deactivated_at = now(), erased_at = now(), name = 'Erased' WHERE id = ?",
                person.uuid());
        var page = PEOPLE + '/' + person.id();
        admin().get(page).is(200).hides("/reactivate", "/role");
        admin().submit(NEW, page + "/reactivate").is(409).shows("The data of this user were erased.");
    }

    @Test
    void a_long_list_has_pages_and_names_are_escaped() {
        for (int i = 0; i < 30; i++) {
            acme.user("<i>Person</i> " + i, "viewer");
        }
        var team = acme.team("R&D");
        acme.join(team, acme.adminUser(), "lead");
        admin().get(PEOPLE)
                .is(200)
                .shows("Page 1 of 2", "Next", "&lt;i&gt;Person")
                .hides("<i>Person", "Older");
        admin().get(PEOPLE + "?page=2").is(200).shows("Previous", "R&amp;D");
    }

    @Test
    void the_audit_log_stores_ids_instead_of_names() {
        var email = address();
        var invited = invite("Mary Jackson", email, "member").is(200);
        var page = PEOPLE + '/' + id(invited);
        admin().submit(page, page + "/role", "role", "admin").is(200);
        admin().submit(page + "/deactivate", page + "/deactivate").is(200);
        assertThat(allEntries()).isEqualTo(3);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM audit_entry a WHERE organization_id = ?"
                                + " AND (a::text LIKE '%Mary%' OR a::text LIKE '%@%')",
                        acme.id()))
                .isZero();
    }

    private Browser admin() {
        return browser(acme.adminUser().email());
    }

    private Browser browser(String email) {
        return Browser.signedIn(service, email);
    }

    private Browser.Page invite(String name, String email, String role) {
        return admin().submit(NEW, PEOPLE, "name", name, "email", email, "role", role);
    }

    private Browser.Page changeRole(TestUser user, String role) {
        var page = PEOPLE + '/' + user.id();
        return admin().submit(page, page + "/role", "role", role);
    }

    private static String id(Browser.Page person) {
        return person.find("/settings/people/(usr_[0-9a-z]{26})/role");
    }

    private static String address() {
        return UUID.randomUUID() + "@acme.test";
    }

    private long people() {
        return TestDatabase.count("SELECT count(*) FROM users WHERE organization_id = ?", acme.id());
    }

    private long entries(String action, String userId) {
        assertThat(IdKind.USER.parse(userId)).isPresent();
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND action = ? AND subject_id = ?"
                        + " AND actor = 'user' AND user_id = ?",
                acme.id(),
                action,
                userId,
                acme.adminUser().uuid());
    }

    private long allEntries() {
        return TestDatabase.count("SELECT count(*) FROM audit_entry WHERE organization_id = ?", acme.id());
    }

    private static void becomes(int status, TestUser user) {
        var deadline = Instant.now().plus(EFFECTIVE_WITHIN);
        while (user.api().get("/v1/users/me").status() != status) {
            assertThat(Instant.now()).isBefore(deadline);
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
