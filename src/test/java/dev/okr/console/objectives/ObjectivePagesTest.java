package dev.okr.console.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.console.overview.OverviewWords;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ObjectivePagesTest extends HttpTest {
    private static final String OBJECTIVES = "/settings/objectives/";

    @Test
    void the_page_explains_the_progress_as_the_api_does() {
        var cycle = newPresentCycle();
        var objective = newObjective(cycle);
        var strong = newKeyResult(objective, 0, 10);
        member.put("/v1/key-results/" + strong, object("weight", 3)).is(200);
        newCheckIn(strong, 4);
        newKeyResult(objective, 0, 100);

        var page = browser(acme.viewerUser()).get(OBJECTIVES + objective).is(200);

        var explained = viewer.get("/v1/objectives/" + objective + "/progress").is(200);
        assertThat(explained.number("progress")).isEqualByComparingTo("0.3");
        page.shows(
                "Why 30%?",
                "1 of 2 key results has no check-in yet.",
                // 3/4 of the width, of which 30 points are reached. The other one stands after it.
                "<rect class=\"bar-share\" x=\"0\" y=\"0\" width=\"75\" height=\"10\"/>"
                        + "<rect class=\"bar-points\" x=\"0\" y=\"0\" width=\"30\" height=\"10\"/>",
                "<rect class=\"bar-share\" x=\"75\" y=\"0\" width=\"25\"",
                "30 points",
                "Progress is 30%, 20 points behind a steady pace.",
                "suggest the status “At risk”",
                "class=\"chart-curve\" d=\"M58 252L",
                "now</th><td>30%</td><td>50%</td>",
                "<p class=\"chart-span\">From 0% on ",
                "to 30%% on %s.</p>".formatted(OverviewWords.day(Instant.now())));
        page.hides("style=", "<style");
    }

    @Test
    void the_suggested_status_is_set_with_one_button() {
        var objective = newAtRisk();
        var browser = browser(acme.memberUser());
        browser.post(OBJECTIVES + objective + "/edit", suggestion(browser, objective))
                .is(200)
                .shows("The objective is changed.", "At risk</li>")
                .hides("suggest the status", "Set to");
        assertThat(viewer.get("/v1/objectives/" + objective).text("status")).isEqualTo("at_risk");
        browser(acme.viewerUser())
                .get(OBJECTIVES + newAtRisk())
                .shows("suggest the status “At risk”")
                .hides("Set to");
    }

    @Test
    void a_suggested_status_does_not_replace_the_choice_of_somebody_else() {
        var objective = newAtRisk();
        var browser = browser(acme.memberUser());
        var fields = suggestion(browser, objective);
        member.put("/v1/objectives/" + objective, object("status", "behind")).is(200);
        browser.post(OBJECTIVES + objective + "/edit", fields)
                .is(409)
                .shows(
                        "<h1>Edit the objective</h1>",
                        "Somebody else changed the same fields.",
                        "<b>Their value:</b> Behind",
                        "value=\"at_risk\" selected",
                        "value=\"Win the trust of mid-sized customers\"");
        assertThat(viewer.get("/v1/objectives/" + objective).text("status")).isEqualTo("behind");
    }

    /** The fields of the button that sets the suggested status. */
    private static String[] suggestion(Browser browser, String objective) {
        var page = browser.get(OBJECTIVES + objective).is(200).shows("<button class=\"quiet\">Set to At risk</button>");
        return new String[] {
            "form_token", page.formToken(),
            "status", page.find("name=\"status\" value=\"([a-z_]*)\""),
            "was_status", page.find("name=\"was_status\" value=\"([a-z_]*)\"")
        };
    }

    /** An objective whose progress is 20 points below the expected one. */
    private String newAtRisk() {
        var objective = newObjective(newPresentCycle());
        newCheckIn(newKeyResult(objective, 0, 10), 3);
        return objective;
    }

    @Test
    void key_results_show_their_last_check_in_and_a_curve() {
        var objective = newObjective(newPresentCycle());
        var keyResult = newKeyResult(objective, 1000, 3500);
        newCheckIn(keyResult, 1500);
        member.post(
                        "/v1/key-results/" + keyResult + "/check-ins",
                        object("value", 2250.5, "confidence", 7, "note", "Two <big> customers"))
                .is(201);

        browser(acme.viewerUser())
                .get(OBJECTIVES + objective)
                .is(200)
                .shows(
                        "href=\"/settings/key-results/" + keyResult + "\"",
                        "<b>2,250.5</b> <span class=\"none\">target 3,500, start 1,000</span>",
                        "by Grace Hopper",
                        "confidence 7 of 10",
                        "<q>Two &lt;big&gt; customers</q>",
                        "class=\"sparkline\"");
        var day = OverviewWords.day(Instant.now());
        browser(acme.viewerUser())
                .get("/settings/key-results/" + keyResult)
                .is(200)
                .shows(
                        "role=\"img\" aria-labelledby=\"chart-title chart-description\"",
                        "Check-ins: from 1,500 on %s to 2,250.5 on %s.</desc>".formatted(day, day),
                        "<p class=\"chart-span\">Check-ins: from 1,500 on",
                        ">1,000</text>",
                        ">3,500</text>",
                        ">" + day + "</text>")
                .hides("class=\"sparkline");
    }

    @Test
    void an_objective_has_its_place_in_the_tree() {
        var cycle = newPresentCycle();
        var root = newObjective("Company goal", cycle);
        var middle = newObjective("Department goal", cycle);
        var objective = newObjective("Team goal", cycle);
        var helper = newObjective("Helping goal", cycle);
        align(root, middle, "supports");
        align(middle, objective, "contributes_to");
        align(objective, helper, "supports");
        newCheckIn(newKeyResult(objective, 0, 10), 5);

        var page = browser(acme.viewerUser()).get(OBJECTIVES + objective).is(200);

        page.shows("Objectives above this one", "href=\"" + OBJECTIVES + helper + "\"", "supports only", "counts");
        assertThat(page.html().indexOf("Company goal")).isLessThan(page.html().indexOf("Department goal"));
        browser(acme.viewerUser())
                .get(OBJECTIVES + middle)
                .shows("Team goal</a> <small>objective</small>", "50 points", "Why 50%?");
    }

    @Test
    void a_key_result_and_an_objective_link_to_the_pages_above() {
        var cycle = newPresentCycle();
        var objective = newObjective("Team goal", cycle);
        var toCycle = "<a href=\"/settings/overview?cycle=" + cycle + "\">";
        var toObjective = "<a href=\"" + OBJECTIVES + objective + "\">Team goal</a></li></ol></nav>";
        var browser = browser(acme.viewerUser());
        var above = "<nav class=\"back chain\" aria-label=\"Pages above this one\"><ol><li>" + toCycle;

        browser.get(OBJECTIVES + objective).is(200).shows(above).hides(toObjective);
        browser.get("/settings/key-results/" + newKeyResult(objective, 0, 10))
                .is(200)
                .shows(above, toObjective);
    }

    @Test
    void a_long_chain_is_shown_up_to_its_top() {
        var lowest = newObjective("The lowest", newCycle());
        var below = lowest;
        for (int i = 1; i <= 12; i++) {
            var above = newObjective("Number %d of 12".formatted(i), newCycle());
            align(above, below, "supports");
            below = above;
        }
        browser(acme.viewerUser())
                .get(OBJECTIVES + lowest)
                .is(200)
                .shows("Number 1 of 12", "Number 11 of 12", "Number 12 of 12");
    }

    @Test
    void a_closed_cycle_shows_its_final_result_which_stays() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 7);
        member.put("/v1/objectives/" + objective, object("score", 0.6, "retrospective", "Started\nlate"))
                .is(200);
        admin.post("/v1/cycles/" + cycle + "/close", null).is(200);
        member.post("/v1/key-results/" + keyResult + "/check-ins", Requests.checkIn(10))
                .is(409);

        var browser = browser(acme.viewerUser());
        browser.get(OBJECTIVES + objective)
                .is(200)
                .shows("The cycle was closed on", "Final result: 70%.", "Score: <b>0.6</b> of 1", "Started\nlate");
        browser.get("/settings/overview?cycle=" + cycle)
                .is(200)
                .shows("Final result: 70%. The cycle is closed, so nothing changes any more.", "closed)</option>");
    }

    @Test
    void an_objective_without_anything_explains_what_is_missing() {
        browser(acme.memberUser())
                .get(OBJECTIVES + newObjective())
                .is(200)
                .shows(
                        "The objective has no key results and no contributing objectives, so its progress is 0 %.",
                        "This objective has no key results yet.",
                        "This objective is not aligned with others.",
                        "The cycle starts on 1 Jan 2099.");
    }

    @Test
    void the_overview_links_to_objectives_and_counts_key_results_without_check_ins() {
        var cycle = newPresentCycle();
        var objective = newObjective(cycle);
        browser(acme.viewerUser())
                .get("/settings/overview?cycle=" + cycle)
                .is(200)
                .shows("href=\"" + OBJECTIVES + objective + "\"")
                .hides("no check-in for 14 days");
    }

    @Test
    void objectives_of_other_organisations_are_not_found() {
        var objective = newObjective();
        for (var id : List.of(objective, "obj_nope", "%00")) {
            browser(organization().adminUser()).get(OBJECTIVES + id).is(404).hides("Ship it");
        }
        assertThat(Browser.of(service).getOnly(OBJECTIVES + objective).status()).isEqualTo(302);
    }

    /** A cycle that is half over. */
    private String newPresentCycle() {
        var weeks = Duration.ofDays(28);
        var dates = Requests.with(
                Requests.uniqueCycle(),
                "starts_at",
                Instant.now().minus(weeks).toString(),
                "ends_at",
                Instant.now().plus(weeks).toString());
        return admin.post("/v1/cycles", dates).is(201).id();
    }

    private String newObjective(String title, String cycle) {
        return member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "title", title))
                .is(201)
                .id();
    }

    private void align(String parent, String child, String type) {
        member.post("/v1/alignments", Requests.with(Requests.alignment(parent, child), "alignment_type", type))
                .is(201);
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
