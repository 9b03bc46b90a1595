package dev.okr.console.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ObjectiveFormsTest extends HttpTest {
    private static final String OBJECTIVES = "/settings/objectives";
    private static final String NEW = OBJECTIVES + "/new";
    private static final String KEY_RESULTS = "/settings/key-results";

    @Test
    void an_objective_is_created_with_its_key_results_by_one_form() {
        var cycle = newCycle();
        var team = acme.team("Growth");
        var page = member().submit(
                        NEW,
                        OBJECTIVES,
                        "title",
                        "Win <trust>",
                        "description",
                        "It lasts.",
                        "cycle_id",
                        cycle,
                        "team_id",
                        team.id(),
                        "key_results.0.title",
                        "Customers",
                        "key_results.0.metric_type",
                        "number",
                        "key_results.0.start_value",
                        "1,000",
                        "key_results.0.target_value",
                        "2500.5",
                        "key_results.2.title",
                        "Retention",
                        "key_results.2.metric_type",
                        "percentage",
                        "key_results.2.target_value",
                        "80")
                .is(200)
                .shows("The objective is created.", "Win &lt;trust&gt;", "Customers", "0%</b>", "target 80%");
        var id = page.find("/settings/objectives/(obj_[0-9a-z]{26})/edit");
        var created = member.get("/v1/objectives/" + id).is(200);
        assertThat(created.text("description")).isEqualTo("It lasts.");
        assertThat(created.text("team_id")).isEqualTo(team.id());
        assertThat(created.text("owner_id")).isEqualTo(acme.memberUser().id());
        assertThat(events("objective.created")).isOne();
        assertThat(events("key_result.created")).isEqualTo(2);
    }

    @Test
    void a_form_that_is_sent_twice_creates_one_objective() {
        var cycle = newCycle();
        var browser = member();
        var form = browser.get(NEW).is(200);
        var fields = new String[] {
            "form_token",
            form.formToken(),
            "id",
            form.find("name=\"id\" value=\"(obj_[0-9a-z]{26})\""),
            "rows",
            "3",
            "title",
            "Once",
            "cycle_id",
            cycle
        };
        var created = browser.post(OBJECTIVES, fields).is(200).shows("Once").address();
        assertThat(browser.post(OBJECTIVES, fields).is(200).shows("Once").address())
                .isEqualTo(created);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM objective WHERE organization_id = ? AND title = 'Once'", acme.id()))
                .isOne();
        member.delete(created.getPath().replaceFirst("^/settings", "/v1")).is(200);
        browser.post(OBJECTIVES, fields).is(409).shows("It is deleted now.");
    }

    @Test
    void wrong_fields_are_marked_and_what_was_entered_stays() {
        var cycle = newCycle();
        member().submit(
                        NEW,
                        OBJECTIVES,
                        "title",
                        " ",
                        "cycle_id",
                        cycle,
                        "key_results.1.title",
                        "Speed",
                        "key_results.1.metric_type",
                        "number",
                        "key_results.1.start_value",
                        "5",
                        "key_results.1.target_value",
                        "5")
                .is(422)
                .shows(
                        "Nothing was changed.",
                        "id=\"title-error\">Fill in this field.",
                        "id=\"key_results.1.target_value-error\">The target must differ from the start.",
                        "value=\"Speed\"");
        member().submit(
                        NEW,
                        OBJECTIVES,
                        "title",
                        "T",
                        "cycle_id",
                        cycle,
                        "key_results.0.title",
                        "Speed",
                        "key_results.0.metric_type",
                        "number",
                        "key_results.0.target_value",
                        "1,5")
                .shows("Enter a number, such as 12.5.");
        assertThat(TestDatabase.count("SELECT count(*) FROM objective WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @Test
    void hints_are_shown_once_and_can_be_ignored() {
        var cycle = newCycle();
        var browser = member();
        var form = browser.get(NEW).is(200);
        var id = form.find("name=\"id\" value=\"(obj_[0-9a-z]{26})\"");
        var fields = List.of(
                "form_token",
                form.formToken(),
                "id",
                id,
                "rows",
                "3",
                "title",
                "Calm",
                "cycle_id",
                cycle,
                "key_results.0.title",
                "Open bugs",
                "key_results.0.metric_type",
                "number",
                "key_results.0.start_value",
                "90",
                "key_results.0.target_value",
                "10");
        var hinted = browser.post(OBJECTIVES, fields.toArray(String[]::new))
                .is(200)
                .shows("“Open bugs” goes down from its start to its target.", "value=\"Open bugs\"");
        viewer.get("/v1/objectives/" + id).is(404);
        var again = new ArrayList<>(fields);
        again.addAll(List.of("hints", hinted.find("name=\"hints\" value=\"([^\"]+)\"")));
        browser.post(OBJECTIVES, again.toArray(String[]::new)).is(200).shows("The objective is created.");
        var more = new ArrayList<>(fields);
        more.addAll(List.of("add", "row"));
        browser.post(OBJECTIVES, more.toArray(String[]::new)).is(200).shows("Key result 4", "value=\"Open bugs\"");
    }

    @Test
    void two_people_who_edit_the_same_objective_see_a_conflict_and_lose_nothing() {
        var objective = newObjective();
        var edit = OBJECTIVES + '/' + objective + "/edit";
        var ada = admin();
        var grace = member();
        var adasForm = ada.get(edit).is(200);
        var gracesForm = grace.get(edit).is(200);
        var was = "Win the trust of mid-sized customers";
        ada.post(
                        edit,
                        "form_token",
                        adasForm.formToken(),
                        "title",
                        "Ada's title",
                        "was_title",
                        was,
                        "description",
                        "",
                        "was_description",
                        "")
                .is(200);

        var conflict = grace.post(
                        edit,
                        "form_token",
                        gracesForm.formToken(),
                        "title",
                        "Grace's title",
                        "was_title",
                        was,
                        "description",
                        "Grace's reason",
                        "was_description",
                        "")
                .is(409)
                .shows("Somebody else changed the same fields.", "Ada&#39;s title", "value=\"Grace&#39;s title\"");
        assertThat(viewer.get("/v1/objectives/" + objective).text("title")).isEqualTo("Ada's title");

        grace.post(
                        edit,
                        "form_token",
                        gracesForm.formToken(),
                        "title",
                        "Grace's title",
                        "was_title",
                        "Ada's title",
                        "description",
                        "Grace's reason",
                        "was_description",
                        "")
                .is(200)
                .shows("The objective is changed.");
        assertThat(conflict.html()).contains("name=\"was_title\" value=\"Ada&#39;s title\"");
        assertThat(viewer.get("/v1/objectives/" + objective).text("title")).isEqualTo("Grace's title");
    }

    @Test
    void a_field_that_was_left_as_it_was_does_not_overwrite_a_change() {
        var objective = newObjective();
        var edit = OBJECTIVES + '/' + objective + "/edit";
        var form = member().get(edit).is(200);
        admin.put("/v1/objectives/" + objective, object("title", "New title")).is(200);
        var was = "Win the trust of mid-sized customers";
        member().post(
                        edit,
                        "form_token",
                        form.formToken(),
                        "title",
                        was,
                        "was_title",
                        was,
                        "status",
                        "at_risk",
                        "was_status",
                        "not_started")
                .is(200);
        var changed = viewer.get("/v1/objectives/" + objective).is(200);
        assertThat(changed.text("title")).isEqualTo("New title");
        assertThat(changed.text("status")).isEqualTo("at_risk");
    }

    @Test
    void a_deletion_can_be_undone() {
        var objective = newObjective();
        newCheckIn(newKeyResult(objective, 0, 10), 4);
        var delete = OBJECTIVES + '/' + objective + "/delete";
        var page = member().submit(delete, delete).is(200).shows("The objective is deleted.", ">Undo<", "1 check-in");
        viewer.get("/v1/objectives/" + objective).is(404);
        assertThat(page.address().getPath()).isEqualTo("/settings/deleted-objectives");
        var restore = "/settings/deleted-objectives/" + objective + "/restore";
        member().submit("/settings/deleted-objectives", restore).is(200).shows("The objective is restored", "Why 40%?");
        var other = newObjective();
        member().submit(OBJECTIVES + '/' + other + "/delete", restore).is(200);
    }

    @Test
    void an_objective_with_too_many_check_ins_has_no_button_to_restore_it() {
        var objective = newObjective();
        member().submit(OBJECTIVES + '/' + objective + "/delete", OBJECTIVES + '/' + objective + "/delete")
                .is(200);
        TestDatabase.execute(
                "UPDATE deleted_objective SET check_ins_count = 100001 WHERE id = ?",
                IdKind.OBJECTIVE.require(objective));
        member().get("/settings/deleted-objectives")
                .is(200)
                .shows("Too many check-ins to restore", "100001 check-ins")
                .hides("/settings/deleted-objectives/" + objective + "/restore");
    }

    @Test
    void key_results_are_added_changed_and_deleted() {
        var objective = newObjective();
        var browser = member();
        var page = browser.submit(
                        "/settings/key-results/new?objective=" + objective,
                        "/settings/key-results",
                        "title",
                        "Certificate",
                        "metric_type",
                        "boolean",
                        "weight",
                        "2")
                .is(200)
                .shows("The key result is added.", "Certificate", "not done");
        var id = page.find("/settings/key-results/(kr_[0-9a-z]{26})");
        var edit = "/settings/key-results/" + id + "/edit";
        browser.submit(edit, edit, "title", "Certificate A", "weight", "x")
                .is(422)
                .shows("Enter a number");
        browser.submit(
                        edit,
                        edit,
                        "title",
                        "Certificate A",
                        "weight",
                        "3",
                        "owner_id",
                        acme.adminUser().id())
                .is(200)
                .shows("The key result is changed.", "Certificate A", "Weight 3");
        assertThat(viewer.get("/v1/key-results/" + id).text("owner_id"))
                .isEqualTo(acme.adminUser().id());
        var delete = "/settings/key-results/" + id + "/delete";
        browser.submit(delete, delete).is(200).shows("The key result is deleted.");
        browser.get("/settings/key-results/" + id).is(404);
    }

    @Test
    void key_results_belong_to_the_owner_of_the_objective_or_to_another_person() {
        var grace = acme.memberUser().id();
        var cycle = newCycle();
        var page = admin().submit(
                        NEW,
                        OBJECTIVES,
                        "title",
                        "Calm",
                        "cycle_id",
                        cycle,
                        "owner_id",
                        grace,
                        "key_results.0.title",
                        "Reviews",
                        "key_results.0.metric_type",
                        "number",
                        "key_results.0.target_value",
                        "10")
                .is(200);
        var first = page.find("/settings/key-results/(kr_[0-9a-z]{26})");
        assertThat(viewer.get("/v1/key-results/" + first).text("owner_id")).isEqualTo(grace);

        var objective = page.find("/settings/objectives/(obj_[0-9a-z]{26})/edit");
        admin().get("/settings/key-results/new?objective=" + objective)
                .is(200)
                .shows("<option value=\"" + grace + "\" selected>");
        admin().submit(
                        "/settings/key-results/new?objective=" + objective,
                        "/settings/key-results",
                        "title",
                        "Audits",
                        "metric_type",
                        "number",
                        "target_value",
                        "5",
                        "owner_id",
                        acme.adminUser().id())
                .is(200)
                .shows("Audits");
        assertThat(viewer.get("/v1/key-results?owner_id=" + acme.adminUser().id())
                        .ids())
                .hasSize(1);
    }

    @Test
    void check_ins_are_added_backdated_corrected_and_deleted() {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        var page = "/settings/key-results/" + keyResult;
        var browser = member();
        browser.submit(page, page + "/check-ins", "value", "6", "confidence", "7", "note", "Good week")
                .is(200)
                .shows("The check-in is saved.", "60%", "Good week");
        browser.submit(page, page + "/check-ins", "value", "2", "recorded_at", "2026-01-05T09:30")
                .is(200)
                .shows("60%", "5 Jan 2026, 09:30 UTC");
        browser.submit(page, page + "/check-ins", "value", "2", "recorded_at", "2026-01-05T09:30")
                .is(409)
                .shows("has the same recorded_at");
        browser.submit(page, page + "/check-ins", "value", "much").shows("Enter a number, such as 12.5.");
        browser.submit(page, page + "/check-ins", "value", "7", "confidence", "11")
                .is(422)
                .shows("confidence-error");
        var last = viewer.get("/v1" + page.substring("/settings".length()) + "/check-ins")
                .is(200)
                .ids()
                .getFirst();
        var edit = page + "/check-ins/" + last + "/edit";
        browser.submit(edit, edit, "value", "8", "note", "", "confidence", "7")
                .is(200)
                .shows("The check-in is changed.", "80%")
                .hides("Good week");
        var delete = page + "/check-ins/" + last + "/delete";
        browser.submit(delete, delete).is(200).shows("The check-in is deleted.", "20%");
    }

    @Test
    void a_check_in_form_sees_that_somebody_else_checked_in() {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        var page = "/settings/key-results/" + keyResult;
        var browser = member();
        var form = browser.get(page).is(200);
        newCheckIn(keyResult, 3);
        browser.post(page + "/check-ins", checkIn(form))
                .is(409)
                .shows("role=\"alert\"", "You checked in meanwhile: 3", "You entered 5.", "value=\"5\"");
        assertThat(viewer.get("/v1/key-results/" + keyResult).number("current_value"))
                .isEqualByComparingTo("3");
    }

    @Test
    void a_check_in_on_the_page_of_the_objective_returns_to_its_top() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var page = OBJECTIVES + '/' + objective;
        var saved = member().submit(
                        page, page + "/check-ins/" + keyResult, "value", "6", "note", "Good week", "confidence", "7")
                .is(200)
                .shows(
                        "The check-in is saved.",
                        "Why 60%?",
                        "<q>Good week</q>",
                        "confidence 7 of 10",
                        "<li id=\"" + keyResult + "\">",
                        "<details class=\"key-result-check-in\">");
        assertThat(saved.address()).hasPath(page).hasNoFragment();
        Browser.signedIn(service, acme.viewerUser().email()).get(page).is(200).hides("name=\"seen\"", "Check in");
    }

    @Test
    void a_check_in_that_is_sent_twice_on_the_page_of_the_objective_is_added_once() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var page = OBJECTIVES + '/' + objective;
        var browser = member();
        var opened = browser.get(page).is(200);
        var fields = checkIn(opened);
        browser.post(page + "/check-ins/" + keyResult, fields).is(200).shows("The check-in is saved.");
        browser.post(page + "/check-ins/" + keyResult, fields).is(200).shows("The check-in is saved.");
        assertThat(viewer.get(Paths.checkIns(keyResult)).ids()).hasSize(1);
        assertThat(events("check_in.created")).isOne();
    }

    @Test
    void a_check_in_in_a_closed_cycle_is_rejected_without_a_form() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var page = OBJECTIVES + '/' + objective;
        var browser = member();
        var opened = browser.get(page).is(200);
        admin.post("/v1/cycles/" + cycle + "/close", null).is(200);
        browser.get(page).is(200).hides("not saved", "key-result-check-in");
        browser.post(page + "/check-ins/" + keyResult, checkIn(opened))
                .is(409)
                .shows("The check-in is not saved, because the cycle is closed.")
                .hides("key-result-check-in");
        assertThat(viewer.get(Paths.checkIns(keyResult)).ids()).isEmpty();
    }

    @Test
    void a_key_result_that_is_done_stays_done_with_a_note() {
        var objective = newObjective();
        var keyResult = newBooleanKeyResult(objective);
        var page = OBJECTIVES + '/' + objective;
        var browser = member();
        browser.get(page).is(200).shows("<option value=\"0\" selected>Not done", "<button class=\"quiet\">Save<");
        var done = browser.submit(page, page + "/check-ins/" + keyResult, "value", "1")
                .is(200)
                .shows("<b>done</b>", "<option value=\"1\" selected>Done");
        done.hides("<button class=\"quiet\" name=");
        browser.get(KEY_RESULTS + '/' + keyResult).is(200).shows("<option value=\"1\" selected>Done");
        browser.submit(page, page + "/check-ins/" + keyResult, "value", "")
                .is(422)
                .shows("aria-describedby=\"value-error-" + keyResult);
    }

    @Test
    void a_check_in_that_is_not_saved_stays_in_its_row_of_the_objective() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var page = OBJECTIVES + '/' + objective;
        var browser = member();
        var opened = browser.get(page).is(200);
        browser.submit(page, page + "/check-ins/" + keyResult, "value", "much", "note", "Kept")
                .is(422)
                .shows(
                        "key-result-check-in\" open>",
                        "Enter a number, such as 12.5.",
                        "value=\"much\"",
                        "value=\"Kept\"");
        newCheckIn(keyResult, 3);
        browser.post(page + "/check-ins/" + keyResult, checkIn(opened))
                .is(409)
                .shows("You checked in meanwhile: 3", "You entered 5.", "value=\"5\"");
        assertThat(viewer.get("/v1/key-results/" + keyResult).number("current_value"))
                .isEqualByComparingTo("3");
        browser.submit(page, OBJECTIVES + '/' + newObjective() + "/check-ins/" + keyResult, "value", "6")
                .is(404);
    }

    @Test
    void teams_and_people_beyond_the_lists_are_found_and_stay_selected() {
        var cycle = newCycle();
        var team = acme.team("Zebras");
        var owner = acme.user("Zoe Zimmer", "member");
        acme.addTeamsAndPeople(501);
        var browser = member();

        browser.get(NEW + "?team=" + team.id())
                .is(200)
                .shows(
                        selected(team.id(), "Zebras"),
                        selected(acme.memberUser().id(), "Grace Hopper"),
                        "To see others, enter a part of a name and press Enter.")
                .hides("Zoe Zimmer");
        var fields = new String[] {
            "title", "Striped", "cycle_id", cycle, "team_id", team.id(), "owner_id", owner.id(), "find", ""
        };
        var searched = fields.clone();
        searched[searched.length - 1] = "zimmer";
        browser.submit(NEW, OBJECTIVES, searched)
                .is(200)
                .shows(selected(owner.id(), "Zoe Zimmer"), selected(team.id(), "Zebras"), "value=\"Striped\"")
                .hides("Person 1<");
        assertThat(viewer.get("/v1/objectives").ids()).isEmpty();
        var created = browser.submit(NEW, OBJECTIVES, fields).is(200).find(OBJECTIVES + "/(obj_[0-9a-z]{26})/edit");

        var edit = OBJECTIVES + '/' + created + "/edit";
        browser.get(edit).is(200).shows(selected(owner.id(), "Zoe Zimmer"), selected(team.id(), "Zebras"));
        browser.submit(edit, edit, "title", "Changed", "find", "Person 77")
                .is(200)
                .shows("value=\"Changed\"", "Person 77</option>")
                .hides("Person 78</option>");
        assertThat(viewer.get("/v1/objectives/" + created).text("title")).isEqualTo("Striped");
    }

    @Test
    void owners_of_key_results_beyond_the_list_are_found_and_stay_selected() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var title = viewer.get(Paths.keyResult(objective, keyResult)).text("title");
        var owner = acme.user("Zoe Zimmer", "member");
        acme.addTeamsAndPeople(501);
        var browser = member();

        var create = KEY_RESULTS + "/new?objective=" + objective;
        browser.get(create).is(200).hides("Zoe Zimmer");
        browser.submit(create, KEY_RESULTS, "title", "Stripes", "find", "zimmer")
                .is(200)
                .shows("value=\"Stripes\"", "Zoe Zimmer</option>")
                .hides("Person 1<");
        assertThat(viewer.get(Paths.keyResults(objective)).ids()).containsExactly(keyResult);

        var edit = KEY_RESULTS + '/' + keyResult + "/edit";
        browser.submit(edit, edit, "title", "Changed", "find", "zimmer")
                .is(200)
                .shows("value=\"Changed\"", "Zoe Zimmer</option>");
        assertThat(viewer.get(Paths.keyResult(objective, keyResult)).text("title"))
                .isEqualTo(title);
        browser.submit(edit, edit, "owner_id", owner.id(), "find", "").is(200);
        browser.get(edit).is(200).shows(selected(owner.id(), "Zoe Zimmer"));
    }

    @Test
    void small_organisations_need_no_search_for_people() {
        newCycle();
        member().get(NEW).is(200).hides("name=\"find\"");
    }

    private static String selected(String id, String name) {
        return "<option value=\"%s\" selected>%s</option>".formatted(id, name);
    }

    /** {@link dev.okr.console.EveryFormTest} sends the forms. */
    @Test
    void a_viewer_sees_no_forms() {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        newCheckIn(keyResult, 4);
        browser(acme.viewerUser())
                .get("/settings/key-results/" + keyResult)
                .is(200)
                .hides("Check in</button>", "/edit", "/delete");
    }

    @Test
    void the_form_of_a_key_result_does_not_find_an_objective_of_another_organisation() {
        var objective = newObjective();
        var stranger = browser(organization().adminUser());
        stranger.get("/settings/key-results/new?objective=" + objective).is(404);
    }

    private long events(String type) {
        return TestDatabase.count("SELECT count(*) FROM event WHERE organization_id = ? AND type = ?", acme.id(), type);
    }

    private Browser member() {
        return browser(acme.memberUser());
    }

    private Browser admin() {
        return browser(acme.adminUser());
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }

    /** A check-in with the value 5, in the form of a page that was opened before. */
    private static String[] checkIn(Browser.Page opened) {
        return new String[] {
            "form_token",
            opened.formToken(),
            "id",
            opened.find("name=\"id\" value=\"(ci_[0-9a-z]{26})\""),
            "seen",
            opened.find("name=\"seen\" value=\"([^\"]*)\""),
            "value",
            "5"
        };
    }
}
