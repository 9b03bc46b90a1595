package dev.okr.console.cycles;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CyclePagesTest extends HttpTest {
    private static final String CYCLES = "/settings/cycles";

    @Test
    void a_cycle_is_created_and_changed_by_its_days() {
        var page = admin().submit(
                        CYCLES + "/new", CYCLES, "name", "Q1 2099", "starts_at", "2099-01-01", "ends_at", "2099-03-31")
                .is(200)
                .shows("The cycle is created.", "1 Jan – 31 Mar 2099");
        var id = page.find("/settings/cycles/(cyc_[0-9a-z]{26})\"");
        assertThat(viewer.get("/v1/cycles/" + id).text("ends_at")).isEqualTo("2099-04-01T00:00:00Z");
        var edit = CYCLES + '/' + id + "/edit";
        admin().submit(edit, edit, "name", "Q1", "starts_at", "2099-01-01", "ends_at", "2099-04-30")
                .is(200)
                .shows("The cycle is changed.", "1 Jan – 30 Apr 2099");
        for (var day : List.of("", "soon")) {
            admin().submit(edit, edit, "name", "Q2", "starts_at", day)
                    .is(422)
                    .shows("Enter a day, such as 2027-01-31.");
        }
        assertThat(viewer.get("/v1/cycles/" + id).text("starts_at")).isEqualTo("2099-01-01T00:00:00Z");
        assertThat(viewer.get("/v1/cycles/" + id).text("name")).isEqualTo("Q1");
    }

    @Test
    void a_fraction_of_a_second_after_midnight_is_not_another_day() {
        var dates = object("name", "Q1", "starts_at", "2099-01-01T00:00:00Z", "ends_at", "2099-04-01T00:00:00.25Z");
        var cycle = admin.post("/v1/cycles", dates).is(201).id();
        var edit = CYCLES + '/' + cycle + "/edit";
        admin().get(edit).is(200).shows("2099-03-31");
        admin().submit(edit, edit, "ends_at", "2099-03-30").is(200);
        assertThat(viewer.get("/v1/cycles/" + cycle).text("ends_at")).isEqualTo("2099-03-31T00:00:00Z");
    }

    @Test
    void a_form_sent_twice_with_an_id_of_another_organisation_creates_one_cycle_with_a_new_id() {
        var known = organization()
                .admin()
                .post("/v1/cycles", Requests.cycle())
                .is(201)
                .id();
        var browser = admin();
        var form = browser.get(CYCLES + "/new");
        for (int i = 0; i < 2; i++) {
            browser.post(
                            CYCLES,
                            "form_token",
                            form.formToken(),
                            "id",
                            known,
                            "name",
                            "Q1 2099",
                            "starts_at",
                            "2099-01-01",
                            "ends_at",
                            "2099-03-31")
                    .is(200)
                    .shows("The cycle is created.");
        }
        assertThat(viewer.get("/v1/cycles").is(200).ids()).hasSize(1).doesNotContain(known);
    }

    @Test
    void wrong_days_and_names_are_marked() {
        admin.post(
                        "/v1/cycles",
                        object("name", "Taken", "starts_at", "2099-01-01T00:00:00Z", "ends_at", "2099-04-01T00:00:00Z"))
                .is(201);
        admin().submit(CYCLES + "/new", CYCLES, "name", "X", "starts_at", "2099-02-01", "ends_at", "2099-01-01")
                .is(422)
                .shows("The end must be after the start.");
        admin().submit(CYCLES + "/new", CYCLES, "name", "", "starts_at", "soon")
                .is(422)
                .shows("Enter a day, such as 2027-01-31.");
        admin().submit(CYCLES + "/new", CYCLES, "name", "taken", "starts_at", "2099-01-01", "ends_at", "2099-02-01")
                .is(409)
                .shows("role=\"alert\"");
    }

    @Test
    void a_guided_page_leads_through_the_end_of_a_cycle() {
        var cycle = newCompletedCycle();
        var next = newCycle();
        var objective = newObjective(cycle);
        newCheckIn(newKeyResult(objective, 0, 10), 7);
        var page = CYCLES + '/' + cycle;
        var browser = admin();
        browser.get(page)
                .is(200)
                .shows(
                        "One key result is below the target.",
                        "0 of 1 objectives have a score.",
                        current("Check open key results"),
                        "You can close the cycle without these scores.",
                        "<button class=\"quiet\">Close ");
        var score = page + "/scores/" + objective;
        browser.submit(page, score, "score", "2").is(422).shows("score-error");
        browser.submit(page, score, "score", "0.7", "retrospective", "Start earlier")
                .is(200)
                .shows(
                        "The review is saved.",
                        "1 of 1 objectives have a score.",
                        "Start earlier",
                        current("Close"),
                        "<button>Close ")
                .hides("without these scores");

        browser.submit(page, page + "/close")
                .is(200)
                .shows("Final result: 70%.", "Open it again", current("Carry over"));
        browser.submit(page, page + "/close").is(200);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM event WHERE organization_id = ? AND resource_id = ? AND type = ?",
                        acme.id(),
                        cycle,
                        "cycle.updated"))
                .isEqualTo(2);
        browser.get("/settings/objectives/" + objective).is(200).hides("Edit</a>", "Add a key result");

        var carryOver = page + "/carry-over";
        for (int i = 0; i < 2; i++) {
            browser.submit(carryOver, carryOver, "to", next, "values", "keep", "which", "all")
                    .is(200)
                    .shows("The objectives are carried over.");
            assertThat(viewer.get("/v1/objectives?cycle_id=" + next).ids()).hasSize(1);
        }
        browser.submit(carryOver, carryOver, "to", next, "values", "keep", "which", "some")
                .is(422)
                .shows("Select at least one objective.");
        browser.submit(
                        carryOver,
                        carryOver,
                        "to",
                        next,
                        "values",
                        "restart",
                        "which",
                        "some",
                        "objective_ids",
                        objective)
                .is(200);
        browser.submit(page, page + "/reopen").is(200).shows("The cycle is open again.");
    }

    @Test
    void scores_are_the_current_step_while_some_are_missing() {
        var cycle = newCompletedCycle();
        var first = newObjective(cycle);
        newObjective(cycle);
        newKeyResult(first, 0, 10);
        var page = CYCLES + '/' + cycle;
        var browser = admin();
        browser.submit(page, page + "/scores/" + first, "score", "0.7")
                .is(200)
                .shows("1 of 2 objectives have a score.", current("Scores"), "<button class=\"quiet\">Close ");
        browser.submit(page, page + "/close").is(200).shows("The cycle is closed.");
    }

    @Test
    void a_few_of_many_open_key_results_are_shown() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        for (int i = 0; i < CyclePage.MAX_SHOWN; i++) {
            newKeyResult(objective, 0, 10);
        }
        var page = CYCLES + '/' + cycle;
        admin().get(page).is(200).shows("50 key results are below the target.", "Show them");
        newKeyResult(objective, 0, 10);
        admin().get(page).is(200).shows("More than 50 key results are below the target.", "Show 50 of them");
    }

    /** The heading of the current step. */
    private static String current(String title) {
        return "aria-current=\"step\">\n  <h2>" + title + " <span class=\"state good\">Current step</span>";
    }

    @Test
    void a_form_that_was_open_when_the_cycle_was_closed_says_why_nothing_is_saved() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var keyResult = "/settings/key-results/" + newKeyResult(objective, 0, 10);
        var edit = "/settings/objectives/" + objective + "/edit";
        var scores = CYCLES + '/' + cycle + "/scores/" + objective;
        var browser = admin();
        var form = browser.get(keyResult).is(200);
        var id = form.find("name=\"id\" value=\"(ci_[0-9a-z]{26})\"");
        admin.post("/v1/cycles/" + cycle + "/close", null).is(200);

        var token = form.formToken();
        var closed = "The cycle is closed. An admin can reopen it.";
        browser.post(keyResult + "/check-ins", "form_token", token, "id", id, "seen", "0", "value", "4")
                .is(409)
                .shows(closed);
        browser.post(scores, "form_token", token, "score", "0.5").is(409).shows(closed);
        browser.post(edit, "form_token", token, "title", "Late").is(409).shows(closed, "value=\"Late\"");
        browser.post("/settings/objectives/" + objective + "/delete", "form_token", token)
                .is(409)
                .shows(closed);
    }

    @Test
    void a_cycle_that_has_not_ended_cannot_be_closed() {
        var cycle = newCycle();
        var page = CYCLES + '/' + cycle;
        admin().get(page)
                .is(200)
                .shows("You can close it after that day.", current("Check open key results"))
                .hides(">Close Q");
        admin().submit(page, page + "/close").is(409).shows("Only a completed cycle can be closed.");
    }

    @Test
    void an_empty_cycle_has_a_link_that_carries_over_from_the_previous_cycle() {
        var ended = newCompletedCycle();
        newObjective(ended);
        var empty = newCycle();
        var overview = "/settings/overview?cycle=";
        var form = admin().get(overview + empty)
                .is(200)
                .shows("This cycle has no objectives yet.", "Create the first one")
                .find("href=\"(/settings/cycles/[^\"]+/carry-over[^\"]+)\"");
        assertThat(form).isEqualTo(CYCLES + '/' + ended + "/carry-over?to=" + empty);
        admin().get(form).is(200).shows("<option value=\"" + empty + "\" selected>");
        browser(acme.memberUser()).get(overview + empty).is(200).hides("carry-over");
        admin().get(overview + ended).is(200).hides("carry-over?to=");
    }

    private Browser admin() {
        return browser(acme.adminUser());
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
