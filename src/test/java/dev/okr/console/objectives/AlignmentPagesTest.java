package dev.okr.console.objectives;

import static dev.okr.testing.Json.object;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class AlignmentPagesTest extends HttpTest {
    private static final String ALIGNMENTS = "/settings/alignments";

    /** Fewer than the 100 changes of a page, but 2.3 MB of events. */
    private static final int CHANGES_WITH_LONG_TEXTS = 70;

    @Test
    void objectives_are_aligned_weighted_and_separated() {
        var cycle = newCycle();
        var parent = newObjective("Company goal", cycle);
        var child = newObjective("Team goal", cycle);
        newObjective("Something else", cycle);
        newCheckIn(newKeyResult(child, 0, 10), 5);
        var page = ALIGNMENTS + "?objective=" + child;
        var browser = browser(acme.memberUser());
        browser.get(page + "&q=company").is(200).shows("Company goal").hides("Something else");

        var aligned = browser.submit(
                        page,
                        ALIGNMENTS,
                        "other",
                        parent,
                        "position",
                        "above",
                        "alignment_type",
                        "contributes_to",
                        "weight",
                        "2")
                .is(200)
                .shows("The objectives are aligned.", "Company goal", "value=\"2\"");
        browser.get("/settings/objectives/" + parent).is(200).shows("Why 50%?", "Team goal");
        browser.submit(
                        page,
                        ALIGNMENTS,
                        "other",
                        parent,
                        "position",
                        "below",
                        "alignment_type",
                        "supports",
                        "weight",
                        "1")
                .is(409)
                .shows("role=\"alert\"");
        browser.submit(page, ALIGNMENTS, "position", "above", "alignment_type", "supports")
                .is(422)
                .shows("Select an entry of the list.");

        var alignment = aligned.find("/settings/alignments/(align_[0-9a-z]{26})/weight");
        var weight = ALIGNMENTS + '/' + alignment + "/weight";
        browser.submit(page, weight, "objective", child, "weight", "-1").is(422).shows("role=\"alert\"");
        browser.submit(page, weight, "objective", child, "weight", "3")
                .is(200)
                .shows("The weight is changed.", "value=\"3\"");
        var delete = ALIGNMENTS + '/' + alignment + "/delete";
        browser.get(page).shows("href=\"" + delete + "?objective=" + child).hides("action=\"" + delete);
        browser.get(delete + "?objective=" + newObjective("Other", cycle)).is(404);
        browser.get(delete + "?objective=" + child)
                .is(200)
                .shows("“Team goal” no longer counts for the progress of “Company goal”.");
        browser.submit(delete + "?objective=" + child, delete)
                .is(200)
                .shows("The alignment is removed.", "is not aligned with others yet");
    }

    @Test
    void the_removal_of_an_alignment_says_what_changes() {
        var cycle = newCycle();
        var middle = newObjective("Team goal", cycle);
        var above = newAlignment(newObjective("Company goal", cycle), middle, "supports");
        var below = newAlignment(middle, newObjective("Helping goal", cycle), "contributes_to");
        var browser = browser(acme.memberUser());
        browser.get(ALIGNMENTS + '/' + above + "/delete?objective=" + middle)
                .is(200)
                .shows("“Team goal” and “Company goal” are no longer connected.");
        browser.get(ALIGNMENTS + '/' + below + "/delete?objective=" + middle)
                .is(200)
                .shows("“Helping goal” no longer counts for the progress of “Team goal”.");
    }

    @Test
    void viewers_and_strangers_align_nothing() {
        var cycle = newCycle();
        var parent = newObjective("Company goal", cycle);
        var child = newObjective("Team goal", cycle);
        var alignment = newAlignment(parent, child);
        var viewer = browser(acme.viewerUser());
        var token = viewer.get("/settings/overview").formToken();
        viewer.get(ALIGNMENTS + "?objective=" + child).is(403);
        viewer.post(ALIGNMENTS + '/' + alignment + "/delete", "form_token", token)
                .is(403);
        viewer.post(ALIGNMENTS + '/' + alignment + "/weight", "form_token", token, "weight", "5")
                .is(403);
        viewer.post(ALIGNMENTS, "form_token", token, "objective", child, "other", parent)
                .is(403);
        var stranger = browser(organization().adminUser());
        var strangersToken = stranger.get("/settings/overview").formToken();
        stranger.get(ALIGNMENTS + "?objective=" + child).is(404);
        stranger.post(ALIGNMENTS + '/' + alignment + "/delete", "form_token", strangersToken)
                .is(404);
        stranger.post(ALIGNMENTS + '/' + alignment + "/weight", "form_token", strangersToken, "weight", "5")
                .is(404);
    }

    @Test
    void the_changes_of_an_objective_say_who_changed_what() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 4);
        admin.put("/v1/objectives/" + objective, object("title", "Win <more> user_ids", "status", "at_risk"))
                .is(200);
        var team = admin.post("/v1/teams", object("name", "Growth")).is(201).id();
        admin.put("/v1/objectives/" + objective, object("cycle_id", newCycle(), "team_id", team))
                .is(200);
        browser(acme.viewerUser())
                .get("/settings/objectives/" + objective + "/changes")
                .is(200)
                .shows(
                        "<b>Ada Lovelace</b> changed the objective",
                        "Title: <del>Win the trust of mid-sized customers</del> → <ins>Win &lt;more&gt; user_ids</ins>",
                        "<b>Ada Lovelace</b> changed the cycle and the team of the objective",
                        "Status: <del>not started</del> → <ins>at risk</ins>",
                        "<b>Grace Hopper</b> created the key result",
                        "Value: <del>0</del> → <ins>4</ins>",
                        "Progress: <del>0</del> → <ins>0.4</ins>");
        browser(organization().adminUser())
                .get("/settings/objectives/" + objective + "/changes")
                .is(404);
    }

    @Test
    void a_page_shows_fewer_changes_if_their_texts_are_long() {
        var objective = newObjective();
        var path = "/v1/objectives/" + objective;
        admin.put(path, object("title", "The oldest change")).is(200);
        for (int i = 0; i < CHANGES_WITH_LONG_TEXTS; i++) {
            admin.put(path, object("title", "Change " + i, "description", "😀".repeat(4_090) + i))
                    .is(200);
        }
        browser(acme.viewerUser())
                .get(path.replace("/v1", "/settings") + "/changes")
                .is(200)
                .shows("<ins>Change " + (CHANGES_WITH_LONG_TEXTS - 1) + "</ins>")
                .hides("The oldest change");
    }

    private String newAlignment(String parent, String child, String type) {
        return member.post("/v1/alignments", Requests.with(Requests.alignment(parent, child), "alignment_type", type))
                .is(201)
                .id();
    }

    private String newObjective(String title, String cycle) {
        return member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "title", title))
                .is(201)
                .id();
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
