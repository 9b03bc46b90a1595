package dev.okr.console.overview;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OverviewPagesTest extends HttpTest {
    private static final String OVERVIEW = "/settings/overview";
    private static final Duration WEEKS = Duration.ofDays(28);

    @Test
    void the_overview_explains_when_there_are_no_cycles() {
        browser(acme.viewerUser())
                .get(OVERVIEW)
                .is(200)
                .shows("<h1>Overview</h1>", "There are no cycles yet.", "aria-current=\"page\">Overview");
        browser(acme.viewerUser()).get(OVERVIEW + "/objectives").is(200).shows("There are no cycles yet.");
    }

    @Test
    void pages_are_compressed() {
        var page = browser(acme.viewerUser()).get(OVERVIEW).is(200).shows("</html>");
        assertThat(page.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(page.bytes()).isLessThan(page.html().length());
    }

    @Test
    void everybody_sees_the_progress_of_the_active_cycle() {
        var cycle = newActiveCycle("This month");
        var growth = acme.team("R&D <Growth>");
        var objective = newObjective("Win \"trust\"", cycle, growth.id());
        newCheckIn(newKeyResult(objective, 0, 10), 4);
        member.put("/v1/objectives/" + objective, object("status", "at_risk")).is(200);
        newObjective("Stay calm", cycle, null);

        for (var user : List.of(acme.adminUser(), acme.memberUser(), acme.viewerUser())) {
            browser(user)
                    .get(OVERVIEW)
                    .is(200)
                    .shows(
                            "This month",
                            "Progress is 20% after 50% of the time, 30 points behind a steady pace.",
                            "R&amp;D &lt;Growth&gt;",
                            "Win &quot;trust&quot;",
                            "Grace Hopper",
                            "At risk",
                            "Without a team",
                            "Stay calm",
                            "Not started",
                            "2 objectives",
                            "class=\"chart-curve\" d=\"M58 252L",
                            "now</th><td>20%</td><td>50%</td>")
                    .hides("style=", "<style");
        }
    }

    @Test
    void objectives_without_a_team_come_last() {
        var cycle = newActiveCycle("Ordered");
        newObjective("Of nobody", cycle, null);
        newObjective("Of a team", cycle, acme.team("Zebras").id());
        assertThat(browser(acme.viewerUser()).get(OVERVIEW).is(200).html())
                .containsSubsequence("Zebras", "Of a team", "Without a team", "Of nobody");
    }

    @Test
    void the_overview_and_the_api_agree_on_the_progress() {
        var cycle = newActiveCycle("Agreed");
        newCheckIn(newKeyResult(newObjective(cycle), 72, 24), 36);
        newObjective(cycle);
        newObjective(cycle);

        assertThat(viewer.get("/v1/cycles/" + cycle).is(200).number("overall_progress"))
                .isEqualByComparingTo("0.25");
        browser(acme.viewerUser()).get(OVERVIEW).is(200).shows("Progress is 25% after");
    }

    @Test
    void another_cycle_can_be_selected() {
        newActiveCycle("Now");
        var planned = newCycle();
        var name = viewer.get("/v1/cycles/" + planned).text("name");
        var browser = browser(acme.viewerUser());

        browser.get(OVERVIEW).is(200).shows("<h2 id=\"cycle-name\">Now</h2>", "value=\"" + planned + "\"");
        browser.get(OVERVIEW + "?cycle=" + planned)
                .is(200)
                .shows("<h2 id=\"cycle-name\">" + name + "</h2>", "value=\"" + planned + "\" selected");
    }

    @Test
    void the_cycle_of_another_organisation_is_not_found() {
        var cycle = newActiveCycle("Secret plans");
        newObjective("Secret aim", cycle, null);
        var stranger = browser(organization().adminUser());

        stranger.get(OVERVIEW).is(200).hides("Secret");
        for (var id : List.of(cycle, "cyc_nope", "%00")) {
            stranger.get(OVERVIEW + "?cycle=" + id).is(404).hides("Secret");
        }
    }

    @Test
    void the_overview_requires_sign_in() {
        assertThat(Browser.of(service).getOnly(OVERVIEW).status()).isEqualTo(302);
    }

    /** A cycle that is half over. */
    private String newActiveCycle(String name) {
        var now = Instant.now();
        var dates = Requests.with(
                Requests.cycle(),
                "name",
                name,
                "starts_at",
                now.minus(WEEKS).toString(),
                "ends_at",
                now.plus(WEEKS).toString());
        var id = admin.post("/v1/cycles", dates).is(201).id();
        // The scheduled job would do this within a minute.
        TestDatabase.execute(
                "UPDATE cycle SET status = 'active' WHERE organization_id = ? AND name = ?", acme.id(), name);
        return id;
    }

    private String newObjective(String title, String cycle, String team) {
        var body = Requests.with(Requests.objective(cycle), "title", title);
        return member.post("/v1/objectives", team == null ? body : Requests.with(body, "team_id", team))
                .is(201)
                .id();
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
