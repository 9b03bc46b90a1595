package dev.okr.objectives.teams;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TeamMemberTest extends HttpTest {
    private String team;
    private String members;
    private String path;

    @BeforeEach
    void createTeam() {
        team = acme.team("Growth").id();
        members = "/v1/teams/" + team + "/members/";
        path = members + acme.memberUser().id();
    }

    @Test
    void a_user_is_added_changed_and_removed() {
        var events = new Events(service, admin);
        var added = admin.put(path, object("role", "member")).is(200);
        assertThat(added.data()).isEqualTo(membership("member"));
        var changed = admin.send("PATCH", path, object("role", "lead")).is(200);
        assertThat(changed.data()).isEqualTo(membership("lead"));
        assertThat(viewer.get("/v1/teams/" + team).data().get("members").toString())
                .isEqualTo("[{\"id\":\"%s\",\"name\":\"Grace Hopper\",\"role\":\"lead\"}]"
                        .formatted(acme.memberUser().id()));
        admin.put(path, object("role", "lead")).is(200);
        admin.put(path, object()).is(200);
        var removed = admin.delete(path).is(200);
        assertThat(removed.id()).isEqualTo(acme.memberUser().id());
        admin.delete(path).isNotFound();
        assertThat(viewer.get("/v1/teams/" + team).number("members_count")).isZero();

        var actor = acme.adminUser().id();
        assertThat(events.next())
                .containsExactly(
                        new Events.Event("team_member.added", membership("member"), null, actor),
                        new Events.Event(
                                "team_member.updated", membership("lead"), Json.tree(object("role", "member")), actor),
                        new Events.Event("team_member.removed", membership("lead"), null, actor));
        assertThat(admin.get("/v1/events?resource_id=" + team).data()).hasSize(3);
    }

    @Test
    void a_lead_may_delete_objectives_of_the_team() {
        var objective = admin.post(
                        "/v1/objectives",
                        dev.okr.testing.Requests.with(dev.okr.testing.Requests.objective(newCycle()), "team_id", team))
                .id();
        member.delete("/v1/objectives/" + objective).isProblem(403, "forbidden");
        admin.put(path, object("role", "lead")).is(200);
        member.delete("/v1/objectives/" + objective).is(200);
    }

    @Test
    void wrong_fields_are_reported() {
        admin.put(path, object()).isInvalid("/role required");
        admin.put(path, object("role", "boss", "name", "x")).isInvalid("/role invalid_value", "/name unknown_field");
        assertThat(viewer.get("/v1/teams/" + team).data().get("members")).isEmpty();
    }

    @Test
    void requests_at_the_same_moment_add_one_member_once() throws Exception {
        var events = new Events(service, admin);
        var answers = AtOnce.run(AtOnce.times(8, () -> admin.put(path, object("role", "lead"))));
        assertThat(answers).extracting(Answer::status).containsOnly(200);
        assertThat(events.nextTypes()).containsExactly("team_member.added");
    }

    @Test
    void a_stale_tag_changes_nothing() {
        var tag = admin.put(path, object("role", "member")).header("ETag").orElseThrow();
        admin.put(path, object("role", "lead")).is(200);
        admin.header("If-Match", tag).put(path, object("role", "member")).isProblem(412, "precondition_failed");
        admin.header("If-Match", tag).delete(path).isProblem(412, "precondition_failed");
        var current = admin.put(path, object()).header("ETag").orElseThrow();
        admin.header("If-Match", current).delete(path).is(200);
    }

    @Test
    void unknown_teams_and_users_and_those_of_other_organisations_are_not_found() {
        for (var strange : StrangeIds.like(IdKind.USER, acme.memberUser().id())) {
            admin.put(members + strange, object("role", "lead")).isNotFound();
            admin.delete(members + strange).isNotFound();
        }
        for (var strange : StrangeIds.like(IdKind.TEAM, team)) {
            var unknown =
                    "/v1/teams/" + strange + "/members/" + acme.memberUser().id();
            admin.put(unknown, object("role", "lead")).isNotFound();
            admin.delete(unknown).isNotFound();
        }
        var other = organization();
        other.admin().put(path, object("role", "lead")).isNotFound();
        other.admin().delete(path).isNotFound();
        admin.put(members + other.memberUser().id(), object("role", "lead")).isNotFound();
        assertThat(viewer.get("/v1/teams/" + team).data().get("members")).isEmpty();
    }

    @Test
    void only_admins_with_the_scope_change_members() {
        for (var api : List.of(viewer, member)) {
            api.put(path, Map.of("role", "lead")).isProblem(403, "forbidden");
            api.delete(path).isProblem(403, "forbidden");
        }
        acme.scoped("read", "webhooks").put(path, Map.of("role", "lead")).isProblem(403, "insufficient_scope");
        stranger().delete(path).isProblem(401, "unauthenticated");
    }

    private com.fasterxml.jackson.databind.JsonNode membership(String role) {
        return Json.tree(object("team_id", team, "user_id", acme.memberUser().id(), "role", role));
    }
}
