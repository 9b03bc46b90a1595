package dev.okr.organizations;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class UserChangeTest extends HttpTest {
    private static final String USERS = "/v1/users";
    private static final Duration EFFECTIVE_WITHIN = Duration.ofSeconds(5);

    @Test
    void an_admin_creates_a_user() {
        var events = new Events(service, admin);
        var email = address();
        var created = admin.post(USERS, user(email)).is(201);
        assertThat(created.header("Location")).hasValue(USERS + '/' + created.id());
        assertThat(created.text("email")).isEqualTo(email);
        assertThat(created.text("role")).isEqualTo("member");
        assertThat(created.data().get("active").booleanValue()).isTrue();
        var read = viewer.get(USERS + '/' + created.id()).is(200);
        assertThat(read.data()).isEqualTo(created.data());
        assertThat(read.header("ETag")).isEqualTo(created.header("ETag"));

        assertThat(events.next())
                .containsExactly(new Events.Event(
                        "user.created", created.data(), null, acme.adminUser().id()));
        assertThat(audited(created.id(), "user_invited")).isOne();
    }

    @Test
    void an_address_belongs_to_one_user_of_the_whole_service() {
        for (var taken : List.of(
                acme.memberUser().email(), organization().memberUser().email().toUpperCase(Locale.ROOT))) {
            admin.post(USERS, user(taken)).isProblem(409, "conflict");
        }
        assertThat(viewer.get(USERS).data()).hasSize(3);
    }

    @Test
    void two_requests_at_the_same_moment_create_one_user() throws Exception {
        var email = address();
        var answers = AtOnce.run(List.of(
                () -> admin.post(USERS, user(email)),
                () -> admin.post(USERS, user(email)),
                () -> organization().admin().post(USERS, user(email))));
        assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(201, 409, 409);
    }

    @Test
    void wrong_fields_are_reported_together() {
        admin.post(USERS, object()).isInvalid("/email required", "/name required", "/role required");
        admin.post(USERS, object("email", "no address", "name", " ", "role", "king", "active", true))
                .isInvalid("/email invalid_format", "/name too_short", "/role invalid_value", "/active unknown_field");
        admin.post(USERS, object("email", "x".repeat(250) + "@acme.test", "name", 5, "role", null))
                .isInvalid("/email too_long", "/name invalid_type", "/role not_nullable");
        admin.post(USERS, object("email", "nul\0@acme.test", "name", "Mary", "role", "member"))
                .isInvalid("/email invalid_characters");
        var path = USERS + '/' + acme.memberUser().id();
        admin.put(path, object("name", null, "active", "no", "role", "owner", "email", address()))
                .isInvalid("/name not_nullable", "/active invalid_type", "/role invalid_value", "/email unknown_field");
    }

    @Test
    void a_change_shows_in_one_event_and_changes_only_its_fields() {
        var id = acme.memberUser().id();
        acme.backdate();
        var before = viewer.get(USERS + '/' + id).is(200).data();
        var events = new Events(service, admin);
        var changed = admin.put(USERS + '/' + id, object("name", "Grace Brewster", "role", "viewer"))
                .is(200);
        assertThat(changed.text("name")).isEqualTo("Grace Brewster");
        assertThat(changed.text("role")).isEqualTo("viewer");
        assertThat(changed.text("updated_at"))
                .isGreaterThan(before.get("updated_at").textValue());
        assertThat(changed.text("created_at"))
                .isEqualTo(before.get("created_at").textValue());
        assertThat(viewer.get(USERS + '/' + id).data()).isEqualTo(changed.data());
        assertThat(events.next())
                .containsExactly(new Events.Event(
                        "user.updated",
                        changed.data(),
                        Json.tree(object("name", "Grace Hopper", "role", "member")),
                        acme.adminUser().id()));
        assertThat(audited(id, "user_renamed")).isOne();
        assertThat(audited(id, "user_role_changed")).isOne();

        var same = admin.send("PATCH", USERS + '/' + id, object("name", " Grace Brewster "))
                .is(200);
        assertThat(same.data()).isEqualTo(changed.data());
        assertThat(events.next()).isEmpty();
    }

    @Test
    void a_stale_tag_changes_nothing() {
        var path = USERS + '/' + acme.memberUser().id();
        var tag = viewer.get(path).header("ETag").orElseThrow();
        admin.header("If-Match", tag).put(path, object("name", "One")).is(200);
        admin.header("If-Match", tag).put(path, object("name", "Two")).isProblem(412, "precondition_failed");
        assertThat(viewer.get(path).text("name")).isEqualTo("One");
    }

    @Test
    void the_keys_of_a_deactivated_user_stop_and_what_the_user_owns_stays() {
        var owner = acme.memberUser();
        var objective = newObjective();
        var team = acme.team("Growth");
        acme.join(team, owner, "lead");
        owner.api().get("/v1/users/me").is(200);
        admin.put(USERS + '/' + owner.id(), Map.of("active", false)).is(200);
        becomes(401, owner);

        var read = viewer.get("/v1/objectives/" + objective).is(200);
        assertThat(read.text("owner_id")).isEqualTo(owner.id());
        assertThat(viewer.get("/v1/teams/" + team.id()).data().get("members")).hasSize(1);
        // The present owner and member can be repeated.
        admin.put("/v1/objectives/" + objective, object("owner_id", owner.id(), "title", "New"))
                .is(200);
        admin.put("/v1/teams/" + team.id() + "/members/" + owner.id(), object("role", "member"))
                .is(200);

        admin.put(USERS + '/' + owner.id(), Map.of("active", true)).is(200);
        becomes(200, owner);
        assertThat(audited(owner.id(), "user_deactivated")).isOne();
        assertThat(audited(owner.id(), "user_reactivated")).isOne();
    }

    @Test
    void a_deactivated_user_becomes_neither_owner_nor_member() {
        var user = acme.memberUser();
        var objective = admin.post("/v1/objectives", Requests.objective(newCycle()))
                .is(201)
                .id();
        var team = acme.team("Growth").id();
        admin.put(USERS + '/' + user.id(), Map.of("active", false)).is(200);
        admin.post("/v1/objectives", Requests.with(Requests.objective(newCycle()), "owner_id", user.id()))
                .isInvalid("/owner_id deactivated_user");
        admin.put("/v1/objectives/" + objective, object("owner_id", user.id())).isInvalid("/owner_id deactivated_user");
        admin.post(
                        "/v1/objectives/" + objective + "/key-results",
                        Requests.with(Requests.keyResult(0, 10), "owner_id", user.id()))
                .isInvalid("/owner_id deactivated_user");
        admin.put("/v1/teams/" + team + "/members/" + user.id(), object("role", "lead"))
                .isInvalid(" deactivated_user");
        assertThat(viewer.get("/v1/teams/" + team).data().get("members")).isEmpty();
    }

    @Test
    void the_last_active_admin_is_neither_demoted_nor_deactivated() {
        var path = USERS + '/' + acme.adminUser().id();
        admin.put(path, Map.of("role", "member")).isProblem(409, "last_admin");
        admin.put(path, Map.of("active", false)).isProblem(409, "last_admin");
        var second = admin.post(USERS, object("email", address(), "name", "Mary", "role", "admin"))
                .id();
        admin.put(USERS + '/' + second, Map.of("active", false)).is(200);
        admin.put(path, Map.of("role", "viewer")).isProblem(409, "last_admin");
        admin.put(USERS + '/' + second, Map.of("active", true)).is(200);
        admin.put(path, Map.of("role", "viewer")).is(200);
    }

    @Test
    void two_admins_who_demote_each_other_at_the_same_moment_leave_one() throws Exception {
        for (int i = 0; i < 10; i++) {
            var other = organization();
            var one = other.adminUser();
            var two = other.user("Mary Jackson", "admin");
            var answers = AtOnce.run(List.of(
                    () -> one.api().put(USERS + '/' + two.id(), Map.of("role", "member")),
                    () -> two.api().put(USERS + '/' + one.id(), Map.of("active", false))));
            // The second one is no longer an admin when its turn comes. A deactivated user may already be refused by
            // its key.
            assertThat(answers).extracting(Answer::status).containsOnlyOnce(200).containsAnyOf(401, 403);
            requireOneAdmin(other.id());
        }
    }

    @Test
    void two_admins_who_resign_at_the_same_moment_leave_one() throws Exception {
        for (int i = 0; i < 10; i++) {
            var other = organization();
            var one = other.adminUser();
            var two = other.user("Mary Jackson", "admin");
            var answers = AtOnce.run(List.of(
                    () -> one.api().put(USERS + '/' + one.id(), Map.of("role", "member")),
                    () -> two.api().put(USERS + '/' + two.id(), Map.of("role", "viewer"))));
            assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(200, 409);
            requireOneAdmin(other.id());
        }
    }

    private static void requireOneAdmin(UUID organization) {
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM users WHERE organization_id = ? AND role = 'admin'"
                                + " AND deactivated_at IS NULL",
                        organization))
                .isOne();
    }

    @Test
    void an_erased_user_cannot_be_changed() {
        var user = acme.memberUser();
        TestDatabase.execute(
                "UPDATE users SET deactivated_at = now(), erased_at = now(), name = 'Erased user' WHERE id = ?",
                user.uuid());
        admin.put(USERS + '/' + user.id(), Map.of("active", true)).isProblem(409, "conflict");
        admin.put(USERS + '/' + user.id(), Map.of("name", "Grace")).isProblem(409, "conflict");
    }

    @Test
    void unknown_users_and_those_of_other_organisations_are_not_found() {
        var id = acme.memberUser().id();
        for (var strange : StrangeIds.like(IdKind.USER, id)) {
            admin.put(USERS + '/' + strange, Map.of("name", "x")).isNotFound();
        }
        organization().admin().put(USERS + '/' + id, Map.of("name", "x")).isNotFound();
        assertThat(viewer.get(USERS + '/' + id).text("name")).isEqualTo("Grace Hopper");
    }

    @Test
    void only_admins_with_the_scope_change_users() {
        var path = USERS + '/' + acme.viewerUser().id();
        for (var api : List.of(viewer, member)) {
            api.post(USERS, user(address())).isProblem(403, "forbidden");
            api.put(path, Map.of("role", "admin")).isProblem(403, "forbidden");
            api.send("PATCH", path, Map.of("role", "admin")).isProblem(403, "forbidden");
        }
        acme.scoped("read", "webhooks").post(USERS, user(address())).isProblem(403, "insufficient_scope");
        stranger().put(path, Map.of("role", "admin")).isProblem(401, "unauthenticated");
        assertThat(viewer.get(path).text("role")).isEqualTo("viewer");
    }

    private static Map<String, Object> user(String email) {
        return Map.of("email", email, "name", "Mary Jackson", "role", "member");
    }

    private static String address() {
        return UUID.randomUUID() + "@acme.test";
    }

    private long audited(String user, String action) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND subject_id = ? AND action = ?",
                acme.id(),
                user,
                action);
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
