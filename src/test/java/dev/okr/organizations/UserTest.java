package dev.okr.organizations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
                        {"data":{"id":"%s","name":"Grace Hopper","email":"%s","role":"member","active":true,\
                        "created_at":\"""".formatted(
                        acme.memberUser().id(), acme.memberUser().email()));
        assertThat(me.data().get("teams").toString()).isEqualTo("[\"%s\",\"%s\"]".formatted(growth.id(), zebra.id()));
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
        assertThat(list.data().get(0).toString()).startsWith("""
                        {"id":"%s","name":"Ada Lovelace","email":"%s","role":"admin","active":true,"created_at":\"""".formatted(
                        acme.adminUser().id(), acme.adminUser().email()));
        assertThat(list.data().get(0).get("updated_at"))
                .isEqualTo(list.data().get(0).get("created_at"));
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
        assertThat(viewer.get(USERS + "?team_id=" + team.id() + "&role=admin").ids())
                .containsExactly(acme.adminUser().id());
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
    void users_are_filtered_by_address_role_activity_and_time_of_change() throws InterruptedException {
        var email = acme.memberUser().email();
        assertThat(viewer.get(USERS + "?email=" + email.toUpperCase(Locale.ROOT))
                        .ids())
                .containsExactly(acme.memberUser().id());
        assertThat(viewer.get(USERS + "?email=" + email.substring(1)).ids()).isEmpty();
        assertThat(viewer.get(USERS + "?email=%00").is(200).ids()).isEmpty();
        assertThat(organization().admin().get(USERS + "?email=" + email).is(200).ids())
                .isEmpty();
        assertThat(viewer.get(USERS + "?role=viewer").ids())
                .containsExactly(acme.viewerUser().id());
        viewer.get(USERS + "?role=king").isMalformed();
        viewer.get(USERS + "?active=1").isMalformed();

        TimeUnit.SECONDS.sleep(1);
        var before = Instant.now();
        admin.put(USERS + '/' + acme.memberUser().id(), Map.of("active", false)).is(200);
        assertThat(viewer.get(USERS + "?active=false").ids())
                .containsExactly(acme.memberUser().id());
        assertThat(viewer.get(USERS + "?active=true").ids())
                .containsExactly(acme.adminUser().id(), acme.viewerUser().id());
        assertThat(viewer.get(USERS + "?updated_since=" + before).ids())
                .containsExactly(acme.memberUser().id());
        assertThat(viewer.get(USERS + "?updated_since=" + before + "&active=true")
                        .ids())
                .isEmpty();
    }

    @Test
    void everybody_can_read_a_user() {
        var id = acme.adminUser().id();
        var read = viewer.get(USERS + '/' + id).is(200);
        assertThat(read.data())
                .isEqualTo(viewer.get(USERS + "?role=admin").data().get(0));
        assertThat(viewer.header("If-None-Match", read.header("ETag").orElseThrow())
                        .get(USERS + '/' + id)
                        .status())
                .isEqualTo(304);
        for (var strange : StrangeIds.like(IdKind.USER, id)) {
            viewer.get(USERS + '/' + strange).isNotFound();
        }
        organization().admin().get(USERS + '/' + id).isNotFound();
        viewer.get("/v1/users/me?fields=name").isMalformed();
        admin.put("/v1/users/me", Map.of("name", "x")).isNotFound();
    }
}
