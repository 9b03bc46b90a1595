package dev.okr.console.teams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class TeamPagesTest extends HttpTest {
    private static final String TEAMS = "/settings/teams";

    @Test
    void a_team_is_created_and_renamed() {
        var page = create("Growth & Co")
                .is(200)
                .shows("The team is created.", "Growth &amp; Co", "This team has no members.");
        var team = id(page);
        assertThat(admin.get("/v1/teams/" + team).is(200).text("name")).isEqualTo("Growth & Co");

        rename(team, "Growth").is(200).shows("The team is renamed.");
        rename(team, "Growth").is(200);
        assertThat(admin.get("/v1/teams/" + team).text("name")).isEqualTo("Growth");
        assertThat(entries("team_created", team)).isOne();
        assertThat(entries("team_renamed", team)).isOne();
        admin().get("/settings/audit").shows("renamed", "name from “Growth &amp; Co” to “Growth”");
    }

    @Test
    void team_names_are_unique() {
        var growth = acme.team("Growth");
        var other = acme.team("Sales");
        organization().team("Elsewhere");
        create("Growth").is(409).shows("The organisation has a team of this name.", "aria-describedby=\"name-error\"");
        rename(other.id(), "Growth").is(409).shows("value=\"Growth\"", "The organisation has a team of this name.");
        create("gROWTH").is(409);
        rename(other.id(), "GROWTH").is(409);
        rename(growth.id(), "growth").is(200);
        rename(growth.id(), " ").is(422).shows("Enter a name.", "tabindex=\"-1\" autofocus>");
        create("Elsewhere").is(200);
    }

    @Test
    void members_are_added_changed_and_removed() {
        var team = acme.team("Growth");
        var page = TEAMS + '/' + team.id();
        var member = page + "/members/" + acme.memberUser().id();
        add(page, acme.memberUser().id(), "member").is(200).shows("Grace Hopper", "Make lead");
        assertThat(role(team.uuid())).isEqualTo("member");

        admin().submit(page, member + "/role", "role", "lead").is(200).shows("Make member");
        admin().submit(page, member + "/role", "role", "lead").is(200);
        assertThat(role(team.uuid())).isEqualTo("lead");
        admin().submit(page, member + "/role", "role", "king").is(400);

        admin().get(page).shows("href=\"" + member + "/remove\"").hides("action=\"" + member + "/remove\"");
        admin().get(member + "/remove").is(200).shows("Remove Grace Hopper from “Growth”?");
        admin().submit(member + "/remove", member + "/remove").is(200).shows("This team has no members.");
        admin().get(member + "/remove").is(404);
        admin().submit(page, member + "/remove").is(404);
        admin().submit(page, member + "/role", "role", "lead").is(404);
        assertThat(entries("team_member_set", team.id())).isEqualTo(2);
        assertThat(entries("team_member_removed", team.id())).isOne();
        admin().get("/settings/audit")
                .shows("Grace Hopper as member", "role of Grace Hopper from member to lead", "removed a member from")
                .hides("usr_");
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM audit_entry a WHERE organization_id = ?"
                                + " AND (a::text LIKE '%Grace%' OR a::text LIKE '%@%')",
                        acme.id()))
                .isZero();
    }

    @Test
    void only_active_users_of_the_organisation_can_become_members() {
        var page = TEAMS + '/' + acme.team("Growth").id();
        var gone = acme.user("Mary Jackson", "member");
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", gone.uuid());
        add(page, gone.id(), "member").is(409).shows("This user is deactivated.");
        for (var user : new String[] {organization().memberUser().id(), "usr_x", ""}) {
            add(page, user, "member").is(422).shows("Select a person.");
        }
        add(page, "", "king").is(422).shows("Select a person.", "Select an option.");
        admin().submit(page, page + "/members/" + organization().memberUser().id() + "/role", "role", "lead")
                .is(404);
        admin().get(page).shows("This team has no members.");
    }

    @Test
    void a_new_member_is_found_by_name() {
        var page = TEAMS + '/' + acme.team("Growth").id() + "/members/new";
        var mary = acme.user("Mary Ann O'Brien", "member");
        var gone = acme.user("Mary Jackson", "member");
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", gone.uuid());
        organization().user("Mary Elsewhere", "member");
        for (var search : new String[] {"mary", "BRIEN+ma", "o%27bri", mary.email()}) {
            admin().get(page + "?q=" + search)
                    .is(200)
                    .shows("Mary Ann O&#39;Brien", mary.email())
                    .hides("Mary Jackson", "Elsewhere", "Grace Hopper");
        }
        admin().get(page).is(200).shows("Ada Lovelace", "Grace Hopper", "Mary Ann");
        for (var search : new String[] {"%25", "_", "jackson", "%00", "mary+nobody", "x".repeat(1000)}) {
            admin().get(page + "?q=" + search).is(200).shows("No active person of your organisation has this name");
        }
        for (int i = 0; i < 25; i++) {
            // The letters cannot be in an email address of the tests, which contains a hexadecimal time.
            acme.user("Namesake No" + i, "viewer");
        }
        admin().get(page + "?q=namesake").is(200).shows("More people match.", "Namesake No0");
        admin().get(page + "?q=namesake+no24").is(200).shows("Namesake No24").hides("More people match.");
    }

    @Test
    void a_team_shows_its_objectives_with_their_cycles() {
        var team = acme.team("Growth");
        var page = TEAMS + '/' + team.id();
        admin().get(page).is(200).shows("This team has no objectives.");
        var cycle = newCycle();
        for (int i = 1; i <= 30; i++) {
            admin.post(
                            "/v1/objectives",
                            Json.object("title", "Win <" + i + ">", "cycle_id", cycle, "team_id", team.id()))
                    .is(201);
        }
        newObjective(cycle);
        var name = admin.get("/v1/cycles/" + cycle).text("name");
        admin().get(page)
                .is(200)
                .shows(
                        "/settings/objectives/obj_",
                        "Win &lt;30&gt;",
                        "Win &lt;21&gt;",
                        name,
                        "Not started",
                        "0%",
                        "All 30 objectives")
                .hides("Win &lt;20&gt;", "Ship it");
        var viewer = Browser.signedIn(service, acme.viewerUser().email());
        viewer.get(page + "/objectives")
                .is(200)
                .shows("Win &lt;30&gt;", "Win &lt;6&gt;")
                .hides("Win &lt;5&gt;");
        viewer.get(page + "/objectives?page=2").is(200).shows("Win &lt;5&gt;", "Win &lt;1&gt;");
        viewer.get(page + "/objectives?page=9").is(200).shows("There are no objectives on this page.");
    }

    @Test
    void the_objectives_of_a_team_are_found_outside_the_settings() {
        var team = acme.team("Growth");
        var cycle = newCycle();
        var objective = newObjective(cycle);
        admin.put("/v1/objectives/" + objective, Json.object("team_id", team.id()))
                .is(200);
        var page = "/settings/teams/" + team.id() + "/objectives";
        var viewer = Browser.signedIn(service, acme.viewerUser().email());
        for (var from : List.of(
                "/settings/overview?cycle=" + cycle,
                "/settings/overview/objectives?cycle=" + cycle,
                "/settings/objectives/" + objective)) {
            viewer.get(from).is(200).shows("<a href=\"" + page + "\">Growth</a>");
        }
        viewer.get(page)
                .is(200)
                .shows(
                        "<h1>Objectives of Growth</h1>",
                        "href=\"/settings/overview\" aria-current=\"page\"",
                        "1 objective<")
                .hides("aria-label=\"Settings\"");
    }

    @Test
    void everybody_can_view_teams_and_only_admins_can_change_them() {
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        var page = TEAMS + '/' + team.id();
        for (var user :
                new String[] {acme.viewerUser().email(), acme.memberUser().email()}) {
            var browser = Browser.signedIn(service, user);
            browser.get(TEAMS).is(200).shows("Growth").hides("New team");
            browser.get(page).is(200).shows("Grace Hopper", "Lead").hides("Remove", "Make member", "Rename");
            browser.submit("/settings/api-keys/new", page + "/rename", "name", "Mine")
                    .is(403);
        }
        assertThat(admin.get("/v1/teams/" + team.id()).text("name")).isEqualTo("Growth");
    }

    @Test
    void a_large_team_has_pages() {
        var team = acme.team("Everybody");
        for (int i = 0; i < 30; i++) {
            acme.join(team, acme.user("Person " + i, "viewer"), i == 0 ? "lead" : "member");
        }
        var page = TEAMS + '/' + team.id();
        admin().get(page).is(200).shows("Page 1 of 2", page + "?page=2", "Members: 30.");
        admin().get(page + "?page=2").is(200).shows("Page 2 of 2");
        admin().get(page + "?size=2").is(400);
    }

    private Browser admin() {
        return Browser.signedIn(service, acme.adminUser().email());
    }

    private Browser.Page create(String name) {
        return admin().submit(TEAMS + "/new", TEAMS, "name", name);
    }

    private Browser.Page rename(String team, String name) {
        var rename = TEAMS + '/' + team + "/rename";
        return admin().submit(rename, rename, "name", name);
    }

    private Browser.Page add(String page, String user, String role) {
        return admin().submit(page + "/members/new", page + "/members", "user", user, "role", role);
    }

    private static String id(Browser.Page team) {
        return team.find("/settings/teams/(team_[0-9a-z]{26})/rename");
    }

    private String role(UUID team) {
        boolean lead = TestDatabase.count(
                        "SELECT count(*) FROM team_member WHERE team_id = ? AND user_id = ? AND role = 'lead'",
                        team,
                        acme.memberUser().uuid())
                == 1;
        return lead ? "lead" : "member";
    }

    private long entries(String action, String teamId) {
        return TestDatabase.count(
                "SELECT count(*) FROM audit_entry WHERE organization_id = ? AND action = ? AND subject_id = ?"
                        + " AND actor = 'user' AND user_id = ?",
                acme.id(),
                action,
                teamId,
                acme.adminUser().uuid());
    }
}
