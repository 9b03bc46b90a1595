package dev.okr.organizations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

@QuarkusTest
class UserTest extends HttpTest {
    private static final String USERS = "/v1/users";

    @Test
    void the_own_user_is_read_with_teams_by_name() {
        var zebra = acme.team("Zebra");
        var growth = acme.team("Growth");
        acme.join(zebra, acme.memberUser(), "member");
        acme.join(growth, acme.memberUser(), "lead");
        acme.join(acme.team("Research"), acme.adminUser(), "lead");
        var me = member.get("/v1/users/me").is(200);
        assertThat(me.text()).startsWith("""
                        {"data":{"id":"%s","name":"Grace Hopper","email":"%s","role":"member","teams":["%s","%s"],\
                        "created_at":\"""".formatted(
                        acme.memberUser().id(), acme.memberUser().email(), growth.id(), zebra.id()));
        assertThat(me.id()).matches("usr_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(viewer.get("/v1/users/me").is(200).data().get("teams")).isEmpty();
        assertThat(admin.get("/v1/users/me").text("role")).isEqualTo("admin");
    }

    @Test
    void users_are_listed_by_name_and_then_by_id() {
        var twin = acme.user("Grace Hopper", "viewer");
        var list = viewer.get(USERS).is(200);
        assertThat(list.ids())
                .containsExactly(
                        acme.adminUser().id(),
                        acme.viewerUser().id(),
                        acme.memberUser().id(),
                        twin.id());
        assertThat(list.data().get(0).toString())
                .isEqualTo("{\"id\":\"%s\",\"name\":\"Ada Lovelace\",\"email\":\"%s\",\"role\":\"admin\"}"
                        .formatted(acme.adminUser().id(), acme.adminUser().email()));
    }

    @Test
    void users_are_filtered_by_team() {
        var team = acme.team("Growth");
        acme.join(team, acme.viewerUser(), "member");
        acme.join(team, acme.adminUser(), "lead");
        assertThat(viewer.get(USERS + "?team_id=" + team.id()).is(200).ids())
                .containsExactly(acme.adminUser().id(), acme.viewerUser().id());
        assertThat(viewer.get(USERS + "?team_id=" + team.id() + "&per_page=1")
                        .header("Link")
                        .orElseThrow())
                .contains("&team_id=" + team.id() + ">; rel=\"next\"");
        for (var id : StrangeIds.like(IdKind.TEAM, team.id())) {
            assertThat(viewer.get(USERS + "?team_id=" + id).is(200).ids()).isEmpty();
        }
        viewer.get(USERS + "?role=admin").isMalformed();
    }

    @Test
    void another_organisations_users_are_not_shown() {
        assertThat(organization().admin().get(USERS).is(200).ids())
                .hasSize(3)
                .doesNotContain(acme.adminUser().id());
    }

    @Test
    void requests_without_a_key_are_rejected() {
        stranger().get(USERS).isProblem(401, "unauthenticated");
        stranger().get("/v1/users/me").isProblem(401, "unauthenticated");
    }

    @Test
    void users_are_read_only_and_only_the_own_user_has_a_path() {
        viewer.get(USERS + '/' + acme.adminUser().id()).isNotFound();
        viewer.get("/v1/users/me?fields=name").isMalformed();
        assertThat(admin.post(USERS, Map.of())
                        .isProblem(405, "method_not_allowed")
                        .header("Allow"))
                .hasValue("GET, HEAD");
        assertThat(admin.put("/v1/users/me", Map.of())
                        .isProblem(405, "method_not_allowed")
                        .header("Allow"))
                .hasValue("GET, HEAD");
    }
}
