package dev.okr.objectives.teams;

import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TeamTest extends HttpTest {
    private static final String TEAMS = "/v1/teams";

    @Test
    void teams_are_listed_by_name_with_their_counts() {
        var zebra = acme.team("Zebra");
        var aardvark = acme.team("aardvark");
        var growth = acme.team("Growth");
        acme.join(growth, acme.memberUser(), "lead");
        acme.join(growth, acme.viewerUser(), "member");
        newObjective();
        member.post("/v1/objectives", with(Requests.objective(newCycle()), "team_id", growth.id()))
                .is(201);

        var list = viewer.get(TEAMS).is(200);
        // Ordered by code points, the same on every database.
        assertThat(list.ids()).containsExactly(growth.id(), zebra.id(), aardvark.id());
        assertThat(list.data().get(0).toString())
                .startsWith(
                        "{\"id\":\"%s\",\"name\":\"Growth\",\"members_count\":2,\"objectives_count\":1,\"created_at\":"
                                .formatted(growth.id()));
        assertThat(list.data().get(1).get("members_count").intValue()).isZero();
        assertThat(fields(list.data().get(0)))
                .containsExactly("id", "name", "members_count", "objectives_count", "created_at", "updated_at");
    }

    @Test
    void a_team_is_read_with_its_members_by_name() {
        var team = acme.team("Growth");
        acme.join(team, acme.viewerUser(), "member");
        acme.join(team, acme.memberUser(), "lead");
        acme.join(acme.team("Research"), acme.adminUser(), "lead");
        var read = viewer.get(TEAMS + '/' + team.id()).is(200);
        assertThat(read.data().get("members").toString()).isEqualTo("""
                        [{"id":"%s","name":"Edsger Dijkstra","role":"member"},\
                        {"id":"%s","name":"Grace Hopper","role":"lead"}]""".formatted(
                        acme.viewerUser().id(), acme.memberUser().id()));
        assertThat(fields(read.data()))
                .containsExactly(
                        "id", "name", "members_count", "objectives_count", "members", "created_at", "updated_at");
    }

    @Test
    void a_team_shows_at_most_100_members_and_counts_all() {
        var team = acme.team("Everyone");
        for (int i = 0; i < 101; i++) {
            acme.join(team, acme.user("User %03d".formatted(i), "viewer"), "member");
        }
        var read = viewer.get(TEAMS + '/' + team.id());
        assertThat(read.data().get("members")).hasSize(100);
        assertThat(read.data().get("members").get(99).get("name").textValue()).isEqualTo("User 099");
        assertThat(read.data().get("members_count").intValue()).isEqualTo(101);
        assertThat(viewer.get("/v1/users?per_page=100&page=2&team_id=" + team.id())
                        .data())
                .hasSize(1);
    }

    @Test
    void the_objectives_of_a_team_are_listed_newest_first_and_filtered_by_cycle() {
        var team = acme.team("Growth").id();
        var cycle = newCycle();
        var first = member.post("/v1/objectives", with(Requests.objective(cycle), "team_id", team))
                .id();
        var second = member.post("/v1/objectives", with(Requests.objective(newCycle()), "team_id", team))
                .id();
        newObjective(cycle);
        var path = TEAMS + '/' + team + "/objectives";
        assertThat(viewer.get(path).is(200).ids()).containsExactly(second, first);
        assertThat(viewer.get(path).data().get(0))
                .isEqualTo(viewer.get("/v1/objectives?team_id=" + team).data().get(0));
        assertThat(viewer.get(path + "?cycle_id=" + cycle).is(200).ids()).containsExactly(first);
        assertThat(viewer.get(path + "?cycle_id=" + team).is(200).ids()).isEmpty();
        assertThat(viewer.get(path + "?per_page=1&page=2").is(200).ids()).containsExactly(first);
        viewer.get(path + "?team_id=" + team).isMalformed();
        viewer.get(path + "?status=behind").isMalformed();
    }

    @Test
    void an_unknown_team_is_not_found() {
        for (var id : StrangeIds.like(IdKind.TEAM, acme.team("Growth").id())) {
            viewer.get(TEAMS + '/' + id).isNotFound();
            viewer.get(TEAMS + '/' + id + "/objectives").isNotFound();
        }
    }

    @Test
    void another_organisations_team_is_not_found() {
        var team = acme.team("Growth").id();
        var other = organization().admin();
        other.get(TEAMS + '/' + team).isNotFound();
        other.get(TEAMS + '/' + team + "/objectives").isNotFound();
        assertThat(other.get(TEAMS).is(200).ids()).isEmpty();
        assertThat(other.get("/v1/objectives?team_id=" + team).is(200).ids()).isEmpty();
        assertThat(other.get("/v1/users?team_id=" + team).is(200).ids()).isEmpty();
    }

    @Test
    void every_operation_needs_an_api_key() {
        var team = acme.team("Growth").id();
        stranger().get(TEAMS).isProblem(401, "unauthenticated");
        stranger().get(TEAMS + '/' + team).isProblem(401, "unauthenticated");
        stranger().get(TEAMS + '/' + team + "/objectives").isProblem(401, "unauthenticated");
    }

    @Test
    void teams_are_filtered_by_name_and_by_time_of_change() {
        var growth = acme.team("Growth").id();
        acme.team("Growth and more");
        assertThat(viewer.get(TEAMS + "?name=Growth").is(200).ids()).containsExactly(growth);
        assertThat(viewer.get(TEAMS + "?name=growth").is(200).ids()).isEmpty();
        assertThat(viewer.get(TEAMS + "?name=%00").is(200).ids()).isEmpty();
        assertThat(organization().admin().get(TEAMS + "?name=Growth").is(200).ids())
                .isEmpty();
        acme.backdate();
        var now = Instant.now();
        admin.put(TEAMS + '/' + growth, Map.of("name", "Grow")).is(200);
        assertThat(viewer.get(TEAMS + "?updated_since=" + now).ids()).containsExactly(growth);
        assertThat(viewer.get(TEAMS + "?updated_since=" + now + "&name=Growth").ids())
                .isEmpty();
        viewer.get(TEAMS + "?updated_since=yesterday").isMalformed();
    }

    static List<String> fields(com.fasterxml.jackson.databind.JsonNode object) {
        var names = new ArrayList<String>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
