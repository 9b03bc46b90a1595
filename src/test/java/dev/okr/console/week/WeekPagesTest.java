package dev.okr.console.week;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The start page and its check-ins. */
@QuarkusTest
class WeekPagesTest extends HttpTest {
    private static final String WEEK = "/settings/week";
    private static final Duration WEEKS = Duration.ofDays(28);

    @Test
    void the_week_is_the_start_page() {
        var page = browser(acme.viewerUser()).get("/settings").is(200);
        assertThat(page.address().getPath()).isEqualTo(WEEK);
        page.shows(
                "<h1>My week</h1>",
                "aria-current=\"page\">My week",
                "Your key results in active cycles appear here when they are due.");
    }

    @Test
    void a_key_result_without_a_check_in_of_the_last_seven_days_is_due() {
        var cycle = activeCycle();
        var objective = newObjective(cycle);
        keyResult(objective, "Never <checked>", "number", 0, 10);
        var late = keyResult(objective, "Checked last week", "percentage", 0, 50);
        checkIn(late, 12.5, Duration.ofDays(8));
        var recent = keyResult(objective, "Checked this week", "number", 0, 10);
        checkIn(recent, 3, Duration.ofDays(6));
        var reached = keyResult(objective, "Reached long ago", "number", 0, 10);
        checkIn(reached, 10, Duration.ofDays(20));
        keyResult(newObjective(), "In a cycle that is planned", "number", 0, 10);

        browser(acme.memberUser())
                .get(WEEK)
                .is(200)
                .shows(
                        "2 key results have no check-in in the last seven days.",
                        "Never &lt;checked&gt;",
                        "no check-in yet",
                        "Checked last week",
                        "<b>12.5%</b> · target 50%",
                        "8 days ago",
                        "/settings/objectives/" + objective,
                        "/settings/key-results/" + late)
                .hides("Checked this week", "Reached long ago", "In a cycle that is planned");
        browser(acme.adminUser()).get(WEEK).is(200).hides("Never", "Checked");
    }

    @Test
    void a_check_in_is_saved_with_its_note_and_confidence() {
        var keyResult = dueKeyResult();
        save(acme.memberUser(), keyResult, "value", "1,250.5", "note", "Two <more>", "confidence", "7")
                .is(200)
                .shows("The check-in is saved.", "You are up to date.");
        var checkIn = checkIns(keyResult).get(0);
        assertThat(checkIn.get("note").asText()).isEqualTo("Two <more>");
        assertThat(checkIn.get("confidence").asInt()).isEqualTo(7);
        assertThat(viewer.get("/v1/key-results/" + keyResult).number("current_value"))
                .isEqualByComparingTo("1250.5");
    }

    @Test
    void the_script_gets_the_row_only() {
        var keyResult = dueKeyResult();
        var browser = browser(acme.memberUser());
        var fields = fields(browser, keyResult);
        var wrong = browser.postPart(WEEK + '/' + keyResult, fields(fields, "value", "1,5", "note", "kept & safe"))
                .is(422)
                .shows("Enter a number, such as 12.5.", "value=\"1,5\"", "value=\"kept &amp; safe\"")
                .hides("<html", "<main");
        assertThat(wrong.header("X-Okr-Part")).isEqualTo("true");
        browser.postPart(WEEK + '/' + keyResult, fields(fields, "value", "5"))
                .is(200)
                .shows("Saved", "<b>5</b> · target 2,000", "today")
                .hides("<html", "<form");
    }

    @Test
    void wrong_fields_are_marked_and_nothing_is_saved() {
        var keyResult = dueKeyResult();
        save(acme.memberUser(), keyResult, "value", "").is(422).shows("Fill in this field.", "aria-invalid=\"true\"");
        save(acme.memberUser(), keyResult, "value", "5", "confidence", "11")
                .is(422)
                .shows("from 0 to 10", "value=\"5\"", "value=\"11\"");
        save(acme.memberUser(), keyResult, "value", "9".repeat(20)).is(422).shows("aria-invalid=\"true\"");
        save(acme.memberUser(), keyResult, "value", "5", "note", "x".repeat(5_000))
                .is(422);
        assertThat(checkIns(keyResult)).isEmpty();
    }

    @Test
    void a_form_that_is_sent_twice_acts_once() throws Exception {
        var keyResult = dueKeyResult();
        var browser = browser(acme.memberUser());
        var fields = fields(fields(browser, keyResult), "value", "5");
        Callable<Browser.Page> send = () -> browser.copy().postOnly(WEEK + '/' + keyResult, fields);
        try (var clients = Executors.newFixedThreadPool(4)) {
            for (var sent : clients.invokeAll(List.of(send, send, send, send))) {
                sent.get().is(303);
            }
        }
        assertThat(checkIns(keyResult)).hasSize(1);
    }

    @Test
    void a_conflict_shows_both_values_and_loses_none() {
        var keyResult = dueKeyResult();
        var browser = browser(acme.memberUser());
        var fields = fields(browser, keyResult);
        admin.post(Paths.checkIns(keyResult), object("value", 3, "note", "Counted twice"))
                .is(201);

        var page = browser.post(WEEK + '/' + keyResult, fields(fields, "value", "5", "note", "My note"))
                .is(409)
                .shows(
                        "Ada Lovelace checked in meanwhile: 3",
                        "Counted twice",
                        "You entered 5.",
                        "value=\"5\"",
                        "value=\"My note\"");
        assertThat(checkIns(keyResult)).hasSize(1);

        browser.post(WEEK + '/' + keyResult, fields(form(page.html(), keyResult), "value", "5"))
                .is(200);
        assertThat(checkIns(keyResult)).hasSize(2);
        assertThat(viewer.get("/v1/key-results/" + keyResult).number("current_value"))
                .isEqualByComparingTo("5");
    }

    @Test
    void a_row_without_a_form_says_that_the_cycle_was_closed_meanwhile() {
        var cycle = activeCycle();
        var keyResult = keyResult(newObjective(cycle), "Customers", "number", 0, 2_000);
        var browser = browser(acme.memberUser());
        var fields = fields(fields(browser, keyResult), "value", "5");
        admin.put(
                        "/v1/cycles/" + cycle,
                        object("ends_at", Instant.now().minusSeconds(1).toString()))
                .is(200);
        // The scheduled job would do this within a minute.
        TestDatabase.execute(
                "UPDATE cycle SET status = 'completed' WHERE organization_id = ? AND ends_at < now()", acme.id());
        admin.post("/v1/cycles/" + cycle + "/close", null).is(200);

        browser.postPart(WEEK + '/' + keyResult, fields)
                .is(409)
                .shows("Customers", "The check-in is not saved, because the cycle is closed.")
                .hides("<form", "Saved");
        browser.post(WEEK + '/' + keyResult, fields)
                .is(409)
                .shows("You are up to date.", "The check-in is not saved, because the cycle is closed.")
                .hides("data-part", "One key result has");
        assertThat(checkIns(keyResult)).isEmpty();
    }

    @Test
    void a_value_that_was_set_meanwhile_is_a_conflict_too() {
        var keyResult = dueKeyResult();
        var browser = browser(acme.memberUser());
        var fields = fields(browser, keyResult);
        member.put("/v1/key-results/" + keyResult, object("current_value", 4)).is(200);
        browser.post(WEEK + '/' + keyResult, fields(fields, "value", "5"))
                .is(409)
                .shows("The value was changed meanwhile: 4", "You entered 5.");
    }

    @Test
    void done_or_not_done_is_a_selection_of_the_present_value() {
        var keyResult = keyResult(newObjective(activeCycle()), "Ship it", "boolean", 0, 1);
        browser(acme.memberUser())
                .get(WEEK)
                .is(200)
                .shows(
                        "<b>not done</b>",
                        "name=\"value\" autofocus>",
                        "<option value=\"0\" selected>Not done</option>",
                        "<option value=\"1\">Done</option>",
                        "<button class=\"quiet\">Save<")
                .hides("<button class=\"quiet\" name=");
        save(acme.memberUser(), keyResult, "value", "").is(422).shows("aria-describedby=\"value-error-" + keyResult);
        save(acme.memberUser(), keyResult, "value", "1").is(200);
        assertThat(viewer.get("/v1/key-results/" + keyResult).number("progress"))
                .isEqualByComparingTo("1");
    }

    @Test
    void viewers_and_other_organisations_can_save_nothing() {
        var keyResult = dueKeyResult();
        var browser = browser(acme.memberUser());
        var fields = fields(browser, keyResult);
        for (var user : List.of(acme.viewerUser(), organization().adminUser())) {
            var other = browser(user);
            var token = other.get(WEEK).is(200).hides("name=\"seen\"").formToken();
            int status = user == acme.viewerUser() ? 403 : 404;
            other.postOnly(WEEK + '/' + keyResult, fields(fields, "form_token", token, "value", "5"))
                    .is(status);
            other.postPart(WEEK + '/' + keyResult, fields(fields, "form_token", token, "value", "5"))
                    .is(status);
        }
        browser.postOnly(WEEK + "/kr_nope", fields(fields, "value", "5")).is(404);
        browser.postOnly(WEEK + '/' + keyResult, fields(fields, "value", "5", "form_token", ""))
                .is(403);
        browser.postOnly(WEEK + '/' + keyResult, fields(fields, "value", "5", "id", "ci_nope"))
                .is(400);
        assertThat(checkIns(keyResult)).isEmpty();
    }

    @Test
    void own_objectives_show_their_progress_and_the_expected_one() {
        var cycle = activeCycle();
        var objective = member.post("/v1/objectives", with(Requests.objective(cycle), "title", "Win \"trust\""))
                .is(201)
                .id();
        checkIn(keyResult(objective, "Customers", "number", 0, 10), 2, Duration.ofDays(1));
        browser(acme.memberUser())
                .get(WEEK)
                .is(200)
                .shows(
                        "Win &quot;trust&quot;",
                        "<b>20%</b> of 50% expected",
                        "far-behind",
                        "30 points behind",
                        "Not started",
                        "You are up to date.")
                .hides("style=");
        browser(acme.adminUser()).get(WEEK).hides("trust");
    }

    /** Sends the form of a key result, with these fields filled in. */
    private Browser.Page save(TestUser user, String keyResult, String... filled) {
        var browser = browser(user);
        return browser.post(WEEK + '/' + keyResult, fields(fields(browser, keyResult), filled));
    }

    private static String[] fields(Browser browser, String keyResult) {
        return form(browser.get(WEEK).is(200).html(), keyResult);
    }

    /** The hidden fields of the form of a key result. */
    private static String[] form(String html, String keyResult) {
        var form = html.substring(html.indexOf("action=\"" + WEEK + '/' + keyResult));
        var fields = new ArrayList<String>();
        for (var name : List.of("form_token", "id", "seen")) {
            var start = "name=\"" + name + "\" value=\"";
            int value = form.indexOf(start) + start.length();
            fields.add(name);
            fields.add(form.substring(value, form.indexOf('"', value)));
        }
        return fields.toArray(String[]::new);
    }

    /** The fields with others, which replace those with the same names. */
    private static String[] fields(String[] fields, String... others) {
        var all = new ArrayList<>(Arrays.asList(others));
        for (int i = 0; i < fields.length; i += 2) {
            if (!Arrays.asList(others).contains(fields[i])) {
                all.add(fields[i]);
                all.add(fields[i + 1]);
            }
        }
        return all.toArray(String[]::new);
    }

    private String dueKeyResult() {
        return keyResult(newObjective(activeCycle()), "Customers", "number", 0, 2_000);
    }

    private String keyResult(String objective, String title, String metric, Object start, Object target) {
        return member.post(
                        Paths.keyResults(objective),
                        with(Requests.keyResult(start, target), "title", title, "metric_type", metric))
                .is(201)
                .id();
    }

    private void checkIn(String keyResult, Object value, Duration ago) {
        member.post(
                        Paths.checkIns(keyResult),
                        object(
                                "value",
                                value,
                                "recorded_at",
                                Instant.now().minus(ago).toString()))
                .is(201);
    }

    private JsonNode checkIns(String keyResult) {
        return viewer.get(Paths.checkIns(keyResult)).is(200).data();
    }

    /** A cycle that is half over. */
    private String activeCycle() {
        var now = Instant.now();
        var id = admin.post(
                        "/v1/cycles",
                        with(
                                Requests.uniqueCycle(),
                                "starts_at",
                                now.minus(WEEKS).toString(),
                                "ends_at",
                                now.plus(WEEKS).toString()))
                .is(201)
                .id();
        // The scheduled job would do this within a minute.
        TestDatabase.execute(
                "UPDATE cycle SET status = 'active' WHERE organization_id = ? AND starts_at < now()", acme.id());
        return id;
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }
}
