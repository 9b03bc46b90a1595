package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.http.JsonBody;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** The pages for export and import. */
@QuarkusTest
class DataPagesTest extends HttpTest {
    private static final String DATA = "/settings/data";
    private static final String IMPORTS = DATA + "/imports";
    private static final Duration MAX_RUN = Duration.ofSeconds(60);

    private static final String MULTIPART = "multipart/form-data; boundary=limit";

    private static final String GOOD = """
            {"type": "cycle", "data": {"id": "q1", "name": "Imported", "starts_at": "2098-01-01T00:00:00Z", \
            "ends_at": "2098-04-01T00:00:00Z"}}
            {"type": "objective", "data": {"id": "o1", "title": "Win trust", "cycle_id": "q1"}}
            """;
    private static final String BAD = """
            {"type": "cycle", "data": {"id": "q1", "name": "Imported", "starts_at": "2098-01-01T00:00:00Z"}}
            """;

    @Test
    void everything_or_a_cycle_is_exported_as_a_file() {
        var cycle = newCycle();
        newObjective(cycle);
        var other = newCycle();
        newObjective(other);
        admin().get(DATA).is(200).shows("Everything", "value=\"" + cycle + '"', "value=\"" + other + '"');

        var all = admin().get(DATA + "/export?cycle_id=").is(200).shows("okr_export", cycle, other);
        assertThat(all.header("Content-Disposition")).isEqualTo("attachment; filename=\"okr-export.ndjson\"");
        admin().get(DATA + "/export?cycle_id=" + cycle).is(200).shows(cycle).hides(other);
        admin().get(DATA + "/export?cycle_id=cyc_nope").is(404);
    }

    @Test
    void a_file_is_checked_before_it_is_imported() {
        var checked = finished(upload(GOOD).is(200))
                .shows("Dry run", "The file has no errors. Nothing is changed yet.", "To create</dt><dd>2<");
        assertThat(cycles()).doesNotContain("Imported");

        var start = checked.find("action=\"([^\"]+/start)\"");
        var token = checked.formToken();
        finished(admin().post(start, "form_token", token).is(200))
                .shows("All lines are imported.", "Created</dt><dd>2<")
                .hides("/start\"");
        assertThat(cycles()).contains("Imported");

        admin().post(start, "form_token", token).is(409).shows("This file was already imported");
        assertThat(cycles()).containsOnlyOnce("Imported");
        admin().get(DATA).shows("Last imports", "Checked", "Imported");
    }

    @Test
    void errors_are_shown_with_their_lines_and_cannot_be_confirmed() {
        finished(upload(GOOD + BAD).is(200))
                .shows("Failed", "Nothing was changed.", "<td data-label=\"Line\">3</td>", "/data/ends_at")
                .hides("/start\"");
        assertThat(cycles()).doesNotContain("Imported");
    }

    @Test
    void the_script_sends_the_file_as_it_is() {
        var browser = admin();
        var token = browser.get(DATA).formToken();
        var page = browser.postBody(IMPORTS, "application/x-ndjson", GOOD, "X-Okr-Form-Token", token)
                .is(200);
        finished(page).shows("The file has no errors.");
        for (var wrong : List.of("", "x")) {
            browser.postBody(IMPORTS, "application/x-ndjson", GOOD, "X-Okr-Form-Token", wrong)
                    .is(403);
        }
    }

    /** Otherwise the start of the file could pass the check. */
    @Test
    void a_file_of_unknown_length_is_checked_to_its_end() {
        var file = GOOD + "\n".repeat(2 * JsonBody.MAX_BYTES) + BAD;
        var browser = admin();
        var token = browser.get(DATA).formToken();
        var page = browser.postChunked(IMPORTS, "application/x-ndjson", file, "X-Okr-Form-Token", token);
        finished(page.is(200)).shows("Nothing was changed.", "/data/ends_at").hides("/start\"");
        browser.postChunked(IMPORTS, MULTIPART, multipart(token, file)).is(413).shows("The form is too large.");
    }

    @Test
    void a_form_without_a_file_is_shown_again() {
        var page = admin().get(DATA);
        upload("").is(422).shows("Select a file.");
        admin().postBody(IMPORTS, "multipart/form-data; boundary=x", "nonsense").is(403);
        admin().post(IMPORTS, "form_token", page.formToken()).is(422).shows("Select a file.");
        admin().postBody(IMPORTS, "text/plain", GOOD).is(415);
    }

    /** Sends a file as a browser without scripts. */
    private Browser.Page upload(String file) {
        var browser = admin();
        return browser.postBody(
                IMPORTS, MULTIPART, multipart(browser.get(DATA).is(200).formToken(), file));
    }

    private static String multipart(String token, String file) {
        return """
                --limit\r
                Content-Disposition: form-data; name="form_token"\r
                \r
                %s\r
                --limit\r
                Content-Disposition: form-data; name="file"; filename="export.ndjson"\r
                Content-Type: application/octet-stream\r
                \r
                %s\r
                --limit--\r
                """.formatted(token, file);
    }

    /** Waits for the end of a run. */
    private Browser.Page finished(Browser.Page page) {
        var deadline = Instant.now().plus(MAX_RUN);
        var run = page;
        while (run.html().contains("data-poll")) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
            run = admin().get(page.address().getPath()).is(200);
        }
        return run;
    }

    private String cycles() {
        return viewer.get("/v1/cycles").is(200).text();
    }

    private Browser admin() {
        return Browser.signedIn(service, acme.adminUser().email());
    }
}
