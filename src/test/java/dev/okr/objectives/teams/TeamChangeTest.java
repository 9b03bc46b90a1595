package dev.okr.objectives.teams;

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
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TeamChangeTest extends HttpTest {
    private static final String TEAMS = "/v1/teams";

    @Test
    void an_admin_creates_a_team() {
        var events = new Events(service, admin);
        var created = admin.post(TEAMS, object("name", " Growth ", "external_id", "hr-1"))
                .is(201);
        assertThat(created.header("Location")).hasValue(TEAMS + '/' + created.id());
        assertThat(created.text("name")).isEqualTo("Growth");
        assertThat(created.text("external_id")).isEqualTo("hr-1");
        assertThat(created.number("members_count")).isZero();
        assertThat(created.text("updated_at")).isEqualTo(created.text("created_at"));
        assertThat(viewer.get(TEAMS).data().get(0)).isEqualTo(created.data());
        assertThat(viewer.get(TEAMS + '/' + created.id()).header("ETag")).isEqualTo(created.header("ETag"));
        assertThat(events.next())
                .containsExactly(new Events.Event(
                        "team.created", created.data(), null, acme.adminUser().id()));
        assertThat(audited("team_created", created.id())).isOne();
    }

    @Test
    void a_repeated_creation_with_the_same_key_creates_one_team() {
        var request = admin.header("Idempotency-Key", "one");
        var first = request.post(TEAMS, object("name", "Growth")).is(201);
        var second = request.post(TEAMS, object("name", "Growth")).is(201);
        assertThat(second.text()).isEqualTo(first.text());
        assertThat(second.header("Idempotency-Replayed")).hasValue("true");
        assertThat(viewer.get(TEAMS).data()).hasSize(1);
    }

    @Test
    void names_and_external_ids_are_unique_in_the_organisation() {
        var first = admin.post(TEAMS, object("name", "Growth", "external_id", "hr-1"))
                .is(201)
                .id();
        admin.post(TEAMS, object("name", "Growth")).isProblem(409, "conflict");
        assertThat(admin.post(TEAMS, object("name", "Other", "external_id", "hr-1"))
                        .isProblem(409, "conflict")
                        .detail())
                .contains(first);
        organization()
                .admin()
                .post(TEAMS, object("name", "Growth", "external_id", "hr-1"))
                .is(201);
        var other = admin.post(TEAMS, object("name", "Other")).is(201).id();
        admin.put(TEAMS + '/' + other, object("name", "Growth")).isProblem(409, "conflict");
        admin.put(TEAMS + '/' + other, object("external_id", "hr-1")).isProblem(409, "conflict");
        admin.put(TEAMS + '/' + first, object("name", "Growth", "external_id", "hr-1"))
                .is(200);
        admin.put(TEAMS + '/' + first, Json.object("external_id", null)).is(200);
        admin.put(TEAMS + '/' + other, object("external_id", "hr-1")).is(200);
        assertThat(viewer.get(TEAMS + "?external_id=hr-1").ids()).containsExactly(other);
    }

    @Test
    void names_are_unique_ignoring_case() {
        var first = admin.post(TEAMS, object("name", "Growth")).is(201).id();
        var other = admin.post(TEAMS, object("name", "Other")).is(201).id();
        admin.post(TEAMS, object("name", "gROWTH")).isProblem(409, "conflict");
        admin.put(TEAMS + '/' + other, object("name", "GROWTH")).isProblem(409, "conflict");
        admin.put(TEAMS + '/' + first, object("name", "GROWTH")).is(200);
    }

    @Test
    void requests_at_the_same_moment_create_one_team_of_a_name_and_of_an_external_id() throws Exception {
        var names = AtOnce.run(AtOnce.times(8, () -> admin.post(TEAMS, object("name", "Growth"))));
        assertThat(names).extracting(Answer::status).containsOnlyOnce(201).containsOnly(201, 409);
        var number = new java.util.concurrent.atomic.AtomicInteger();
        var ids = AtOnce.run(AtOnce.times(
                8, () -> admin.post(TEAMS, object("name", "Team " + number.incrementAndGet(), "external_id", "hr-1"))));
        assertThat(ids).extracting(Answer::status).containsOnlyOnce(201).containsOnly(201, 409);
    }

    @Test
    void a_change_shows_in_one_event() {
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        acme.backdate();
        var path = TEAMS + '/' + team.id();
        var before = viewer.get(path).is(200);
        var events = new Events(service, admin);
        var changed =
                admin.put(path, object("name", "Grow", "external_id", "hr-1")).is(200);
        assertThat(changed.text("updated_at")).isGreaterThan(before.text("updated_at"));
        assertThat(changed.number("members_count")).isOne();
        assertThat(changed.header("ETag")).isEqualTo(viewer.get(path).header("ETag"));
        var previous = Json.object("external_id", null, "name", "Growth");
        assertThat(events.next())
                .containsExactly(new Events.Event(
                        "team.updated",
                        changed.data(),
                        Json.tree(previous),
                        acme.adminUser().id()));
        assertThat(audited("team_renamed", team.id())).isOne();

        assertThat(admin.send("PATCH", path, object("name", "Grow")).is(200).data())
                .isEqualTo(changed.data());
        assertThat(events.next()).isEmpty();
    }

    @Test
    void wrong_fields_are_reported_together() {
        admin.post(TEAMS, object()).isInvalid("/name required");
        admin.post(TEAMS, object("name", "", "external_id", "two words", "members", List.of()))
                .isInvalid("/name too_short", "/external_id invalid_characters", "/members unknown_field");
        admin.post(TEAMS, object("name", "Long", "external_id", "a".repeat(256)))
                .isInvalid("/external_id too_long");
        admin.post(TEAMS, object("name", "Long", "external_id", "a".repeat(255)))
                .is(201);
        admin.put(TEAMS + '/' + acme.team("Growth").id(), Json.object("name", null, "external_id", 5))
                .isInvalid("/name not_nullable", "/external_id invalid_type");
    }

    @Test
    void a_stale_tag_changes_and_deletes_nothing() {
        var path = TEAMS + '/' + acme.team("Growth").id();
        var tag = viewer.get(path).header("ETag").orElseThrow();
        admin.put(path, object("name", "One")).is(200);
        admin.header("If-Match", tag).put(path, object("name", "Two")).isProblem(412, "precondition_failed");
        admin.header("If-Match", tag).delete(path).isProblem(412, "precondition_failed");
        assertThat(viewer.get(path).text("name")).isEqualTo("One");
    }

    @Test
    void a_team_is_deleted_with_its_memberships() {
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        acme.join(team, acme.viewerUser(), "member");
        var path = TEAMS + '/' + team.id();
        var before = viewer.get(TEAMS).data().get(0);
        var events = new Events(service, admin);
        var answer = admin.delete(path).is(200);
        assertThat(answer.text()).isEqualTo("{\"data\":{\"id\":\"%s\",\"deleted\":true}}".formatted(team.id()));
        viewer.get(path).isNotFound();
        admin.delete(path).isNotFound();
        assertThat(member.get("/v1/users?team_id=" + team.id()).ids()).isEmpty();
        var told = events.next();
        assertThat(told)
                .extracting(Events.Event::type)
                .containsExactly("team_member.removed", "team_member.removed", "team.deleted");
        assertThat(told.getLast().data()).isEqualTo(before);
        assertThat(audited("team_deleted", team.id())).isOne();
    }

    @Test
    void a_team_with_objectives_is_not_deleted() {
        var team = acme.team("Growth").id();
        var objective = member.post("/v1/objectives", Requests.with(Requests.objective(newCycle()), "team_id", team))
                .id();
        admin.delete(TEAMS + '/' + team).isProblem(409, "conflict");
        admin.put("/v1/objectives/" + objective, Json.object("team_id", null)).is(200);
        admin.delete(TEAMS + '/' + team).is(200);
    }

    @Test
    void an_objective_that_is_created_while_its_team_is_deleted_never_names_a_missing_team() throws Exception {
        var cycle = newCycle();
        for (int i = 0; i < 10; i++) {
            var team = acme.team("Team " + i).id();
            var body = Requests.with(Requests.objective(cycle), "team_id", team);
            var answers = AtOnce.run(
                    List.of(() -> admin.delete(TEAMS + '/' + team), () -> member.post("/v1/objectives", body)));
            assertThat(answers.stream().map(Answer::status).toList()).isIn(List.of(200, 422), List.of(409, 201));
        }
    }

    @Test
    void unknown_teams_and_those_of_other_organisations_are_not_found() {
        var team = acme.team("Growth").id();
        for (var strange : StrangeIds.like(IdKind.TEAM, team)) {
            admin.put(TEAMS + '/' + strange, Map.of("name", "x")).isNotFound();
            admin.delete(TEAMS + '/' + strange).isNotFound();
        }
        var other = organization().admin();
        other.put(TEAMS + '/' + team, Map.of("name", "x")).isNotFound();
        other.delete(TEAMS + '/' + team).isNotFound();
        assertThat(viewer.get(TEAMS + '/' + team).text("name")).isEqualTo("Growth");
    }

    @Test
    void only_admins_with_the_scope_change_teams() {
        var path = TEAMS + '/' + acme.team("Growth").id();
        for (var api : List.of(viewer, member)) {
            api.post(TEAMS, Map.of("name", "x")).isProblem(403, "forbidden");
            api.put(path, Map.of("name", "x")).isProblem(403, "forbidden");
            api.send("PATCH", path, Map.of("name", "x")).isProblem(403, "forbidden");
            api.delete(path).isProblem(403, "forbidden");
        }
        acme.scoped("read", "webhooks").delete(path).isProblem(403, "insufficient_scope");
        stranger().delete(path).isProblem(401, "unauthenticated");
        viewer.get(path).is(200);
    }

    @Test
    void the_console_causes_the_same_events() {
        var events = new Events(service, admin);
        var browser = dev.okr.testing.Browser.signedIn(service, acme.adminUser().email());
        browser.submit("/settings/teams/new", "/settings/teams", "name", "Growth")
                .is(200);
        var team = viewer.get(TEAMS).ids().getFirst();
        var page = "/settings/teams/" + team;
        browser.submit(page + "/rename", page + "/rename", "name", "Grow").is(200);
        browser.submit(
                        page + "/members/new",
                        page + "/members",
                        "user",
                        acme.memberUser().id(),
                        "role",
                        "lead")
                .is(200);
        var member = page + "/members/" + acme.memberUser().id();
        browser.submit(page, member + "/role", "role", "member").is(200);
        browser.submit(page, member + "/remove").is(200);
        var person = "/settings/people/" + acme.memberUser().id();
        browser.submit(person, person + "/role", "role", "viewer").is(200);
        browser.submit(person + "/deactivate", person + "/deactivate").is(200);
        assertThat(events.nextTypes())
                .containsExactly(
                        "team.created",
                        "team.updated",
                        "team_member.added",
                        "team_member.updated",
                        "team_member.removed",
                        "user.updated",
                        "user.updated");
    }

    private long audited(String action, String team) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND action = ? AND subject_id = ?",
                acme.id(),
                action,
                team);
    }

    @Test
    void the_external_id_of_a_team_cannot_be_the_id_of_another_team() {
        var id = acme.team("Growth").id();
        var other = admin.post(TEAMS, Json.object("name", "Sales")).is(201).id();
        admin.put(TEAMS + '/' + other, Json.object("external_id", id)).isProblem(409, "conflict");
    }
}
