package dev.okr.console.overview;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class CycleListPagesTest extends HttpTest {
    private static final String LIST = "/settings/overview/objectives";

    @Test
    void objectives_are_filtered_by_team_owner_status_and_words() {
        var cycle = newCycle();
        var growth = acme.team("R&D");
        var mine = newObjective("Win <trust>", cycle, "team_id", growth.id());
        member.put("/v1/objectives/" + mine, object("status", "at_risk")).is(200);
        newObjective("Stay calm", cycle, "owner_id", acme.adminUser().id());
        newObjective("Elsewhere", newCycle(), "team_id", growth.id());
        var list = LIST + "?cycle=" + cycle;

        viewer().get(list)
                .is(200)
                .shows("Win &lt;trust&gt;", "Stay calm", "R&amp;D", "2 objectives")
                .hides("Elsewhere");
        for (var filter : new String[] {
            "&team=" + growth.id(), "&owner=" + acme.memberUser().id(), "&status=at_risk", "&q=TRUST+win"
        }) {
            viewer().get(list + filter)
                    .is(200)
                    .shows("Win &lt;trust&gt;", "Clear")
                    .hides("Stay calm");
        }
        viewer().get(list + "&team=none").is(200).shows("Stay calm").hides("Win &lt;");
        viewer().get(list + "&team=&owner=&status=&q=")
                .is(200)
                .shows("2 objectives")
                .hides("Clear");
        newObjective("Reach 50%_ of C:\\x", cycle);
        viewer().get(list + "&q=50%25_+C:%5Cx").is(200).shows("1 objective<", "Reach 50%_");
        for (var absent : new String[] {"%7Bx%7D%25", "5%25_", "50_", "C%5Cx"}) {
            viewer().get(list + "&q=" + absent).is(200).shows("No objective matches these filters.");
        }
        for (var wrong : new String[] {"&team=x", "&status=nice", "&color=red", "&q=%00"}) {
            viewer().get(list + wrong).is(400);
        }
        for (var id : new String[] {"cyc_nope", organizationCycle()}) {
            viewer().get(LIST + "?cycle=" + id).is(404);
            viewer().get(LIST + ".csv?cycle=" + id).is(404);
        }
    }

    @Test
    void the_tree_shows_each_objective_below_its_parent() {
        var cycle = newCycle();
        var root = newObjective("Company", cycle);
        var middle = newObjective("Department", cycle);
        var leaf = newObjective("Team", cycle);
        newAlignment(root, middle);
        newAlignment(middle, leaf);
        var page = viewer().get(LIST + "?view=tree&cycle=" + cycle).is(200);
        page.shows("class=\"level-2\"><a href=\"/settings/objectives/" + leaf);
        assertThat(page.html().indexOf("Company</a>"))
                .isLessThan(page.html().indexOf("Department</a>"))
                .isPositive();
        viewer().get(LIST + "?view=tree&q=team&cycle=" + cycle)
                .shows("class=\"level-0\"><a href=\"/settings/objectives/" + leaf);
    }

    @Test
    void the_csv_has_what_the_table_shows() {
        var cycle = newCycle();
        var id = newObjective("=cmd, \"quoted\"", cycle);
        newObjective("Other", cycle, "owner_id", acme.adminUser().id());
        var csv = viewer().get(LIST + ".csv?cycle=" + cycle + "&owner="
                        + acme.memberUser().id())
                .is(200);
        assertThat(csv.html())
                .isEqualTo("id,title,team,owner,status,progress,score,retrospective\r\n" + id
                        + ",\"'=cmd, \"\"quoted\"\"\",,Grace Hopper,not_started,0.0000,,\r\n");
        assertThat(csv.header("Content-Type")).startsWith("text/csv");
    }

    @Test
    void the_table_is_sorted_by_the_columns_that_the_api_sorts_by() {
        var cycle = newCycle();
        var beta = newObjective("Beta", cycle);
        newObjective("Alpha", cycle);
        newObjective("Gamma", cycle);
        member.post(Paths.checkIns(newKeyResult(beta, 0, 10)), object("value", 5))
                .is(201);
        var list = LIST + "?q=a&cycle=" + cycle;

        assertThat(titles(list)).containsExactly("Gamma", "Alpha", "Beta");
        assertThat(titles(list + "&sort=title")).containsExactly("Alpha", "Beta", "Gamma");
        assertThat(titles(list + "&sort=-title")).containsExactly("Gamma", "Beta", "Alpha");
        assertThat(titles(list + "&sort=-progress")).first().isEqualTo("Beta");
        assertThat(titles(list + "&sort=progress")).last().isEqualTo("Beta");
        assertThat(titles(list + "&sort=-updated_at")).containsExactly("Beta", "Gamma", "Alpha");
        assertThat(viewer().get(LIST + ".csv?q=a&sort=title&cycle=" + cycle)
                        .html()
                        .lines()
                        .skip(1))
                .extracting(line -> line.split(",")[1])
                .containsExactly("Alpha", "Beta", "Gamma");

        viewer().get(list).hides("aria-sort", "Newest first");
        var sorted = viewer().get(list + "&sort=title")
                .shows(
                        "aria-sort=\"ascending\"><a href=\"" + LIST + "?cycle=" + cycle + "&amp;sort=-title&amp;q=a\">",
                        "<th scope=\"col\"><a href=\"" + LIST + "?cycle=" + cycle + "&amp;sort=-progress&amp;q=a\">",
                        LIST + ".csv?cycle=" + cycle + "&amp;sort=title&amp;q=a",
                        "<input type=\"hidden\" name=\"sort\" value=\"title\">",
                        "Newest first");
        assertThat(sorted.html()).containsOnlyOnce("aria-sort");
        viewer().get(list + "&sort=title&per_page=2").shows("sort=title&amp;q=a&amp;page=2&amp;per_page=2");
        viewer().get(list + "&sort=title&view=tree").is(200).hides("aria-sort", "Newest first");
        for (var wrong : new String[] {"&sort=status", "&sort=recorded_at", "&sort=--title"}) {
            viewer().get(list + wrong).is(400);
            viewer().get(LIST + ".csv?cycle=" + cycle + wrong).is(400);
        }
    }

    /** A response with a known length was built in memory. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&sort=title", "&sort=-progress", "&sort=updated_at"})
    void the_csv_of_a_large_cycle_is_streamed_whole(String sort) {
        var cycle = newCycle();
        TestDatabase.execute(
                """
                INSERT INTO objective (organization_id, id, cycle_id, owner_id, title, progress, status, created_at,
                    updated_at)
                SELECT ?, uuid_v7(now()), ?, ?, 'Goal ' || n / 2, n % 5 / 10.0, 'not_started', now() + n / 3 * interval '1 second', now()
                FROM generate_series(1, 1201) n
                """, acme.id(), IdKind.CYCLE.require(cycle), acme.memberUser().uuid());
        var csv = viewer().get(LIST + ".csv?q=goal&cycle=" + cycle + sort).is(200);
        assertThat(csv.header("Content-Length")).isEmpty();
        assertThat(csv.html().lines().skip(1)).hasSize(1_201).doesNotHaveDuplicates();
    }

    @Test
    void the_filters_offer_the_selected_team_and_owner_among_many_and_find_others() {
        var cycle = newCycle();
        var team = acme.team("Zebras");
        var owner = acme.user("Zoe Zimmer", "member");
        newObjective("Striped", cycle, "team_id", team.id(), "owner_id", owner.id());
        acme.addTeamsAndPeople(501);
        var list = LIST + "?cycle=" + cycle;

        viewer().get(list)
                .is(200)
                .shows("Only some names are listed. To see others, enter a part of a name.")
                .hides("Zebras</option>");
        viewer().get(list + "&team=" + team.id() + "&owner=" + owner.id())
                .is(200)
                .shows(selected(team.id(), "Zebras"), selected(owner.id(), "Zoe Zimmer"), "Striped");
        viewer().get(list + "&find=ZEB").is(200).shows("Zebras</option>").hides("Team 1</option>");
        viewer().get(list + "&find=" + owner.email()).is(200).shows("Zoe Zimmer</option>");
    }

    private static String selected(String id, String name) {
        return "<option value=\"%s\" selected>%s</option>".formatted(id, name);
    }

    @Test
    void a_long_list_has_pages_that_keep_the_filters() {
        var cycle = newCycle();
        for (int i = 0; i < 26; i++) {
            newObjective("Goal " + i, cycle);
        }
        viewer().get(LIST + "?q=goal&cycle=" + cycle)
                .is(200)
                .shows("26 objectives", "Page 1 of 2", "q=goal&amp;page=2");
        viewer().get(LIST + "?q=goal&page=2&cycle=" + cycle).is(200).shows("Goal 0<");
    }

    private List<String> titles(String list) {
        return Pattern.compile("<a href=\"/settings/objectives/obj_[^\"]+\">([^<]+)<")
                .matcher(viewer().get(list).is(200).html())
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private String organizationCycle() {
        return organization()
                .admin()
                .post("/v1/cycles", Requests.cycle())
                .is(201)
                .id();
    }

    private String newObjective(String title, String cycle, Object... more) {
        return member.post(
                        "/v1/objectives", Requests.with(Requests.with(Requests.objective(cycle), "title", title), more))
                .is(201)
                .id();
    }

    private Browser viewer() {
        return browser(acme.viewerUser());
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
