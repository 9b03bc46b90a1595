package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RawHttp;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests whose API key is revoked or expires, or whose user is demoted, while their body arrives. The change takes
 * effect within five seconds, as for other requests.
 */
@QuarkusTest
@Tag("waits")
class LateBodyTest extends HttpTest {
    private static final Duration UNTIL_ADMITTED = Duration.ofMillis(500);
    private static final Duration UNTIL_EFFECTIVE = Duration.ofSeconds(5);
    private static final String CYCLE = """
            {"name": "Late", "starts_at": "2026-01-01T00:00:00Z", "ends_at": "2026-04-01T00:00:00Z"}""";

    @Test
    void a_key_that_was_revoked_while_the_body_arrived_changes_nothing() {
        var token = acme.key(acme.adminUser().uuid());
        requireUnchanged(sendSlowlyWith(token, "/v1/cycles", "application/json", CYCLE, () -> revoke(token)), 401);
    }

    @Test
    void a_key_that_expired_while_the_body_arrived_changes_nothing() {
        var token = acme.key(acme.adminUser().uuid());
        requireUnchanged(sendSlowlyWith(token, "/v1/cycles", "application/json", CYCLE, () -> expire(token)), 401);
    }

    @Test
    void an_admin_who_was_demoted_while_the_body_arrived_creates_no_cycle() {
        var token = acme.key(acme.adminUser().uuid());
        requireUnchanged(sendSlowlyWith(token, "/v1/cycles", "application/json", CYCLE, this::demote), 403);
    }

    @Test
    void a_key_that_was_revoked_during_an_upload_imports_nothing() {
        var token = acme.key(acme.adminUser().uuid());
        var lines = """
                {"type":"okr_export","version":1,"exported_at":"2026-01-01T00:00:00Z","organization":"other"}
                """;
        var answer = sendSlowlyWith(token, "/v1/imports", "application/x-ndjson", lines, () -> revoke(token));
        assertThat(answer).startsWith("HTTP/1.1 401 ");
        assertThat(TestDatabase.count("SELECT count(*) FROM import WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @Test
    void an_admin_who_was_demoted_while_a_form_arrived_creates_no_cycle() {
        var browser = Browser.signedIn(service, acme.adminUser().email());
        var page = browser.get("/settings/cycles/new");
        var form = "form_token=" + page.formToken() + "&id=" + page.find("name=\"id\" value=\"([^\"]+)")
                + "&name=Late&starts_at=2026-01-01&ends_at=2026-04-01";
        var header = "Cookie: " + browser.cookies();
        var answer = sendSlowly("/settings/cycles", header, "application/x-www-form-urlencoded", form, this::demote);
        requireUnchanged(answer, 403);
    }

    private void requireUnchanged(String answer, int status) {
        assertThat(answer).startsWith("HTTP/1.1 " + status + ' ');
        assertThat(TestDatabase.count("SELECT count(*) FROM cycle WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    private String sendSlowlyWith(String token, String path, String type, String body, Runnable event) {
        return sendSlowly(path, "Authorization: Bearer " + token, type, body, event);
    }

    /** Sends half of the body, runs the event, and sends the rest when the event must have taken effect. */
    private String sendSlowly(String path, String credential, String type, String body, Runnable event) {
        var head = "POST %s HTTP/1.1\r\nHost: okr\r\n%s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
                .formatted(path, credential, type, body.length());
        int half = body.length() / 2;
        return RawHttp.send(
                service,
                head + body.substring(0, half),
                () -> {
                    pause(UNTIL_ADMITTED);
                    event.run();
                    pause(UNTIL_EFFECTIVE);
                },
                body.substring(half));
    }

    private static void revoke(String token) {
        TestDatabase.execute("UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", (Object) Token.hash(token));
    }

    private static void expire(String token) {
        TestDatabase.execute("UPDATE api_key SET expires_at = now() WHERE token_hash = ?", (Object) Token.hash(token));
    }

    private void demote() {
        TestDatabase.execute(
                "UPDATE users SET role = 'viewer' WHERE organization_id = ? AND id = ?",
                acme.id(),
                acme.adminUser().uuid());
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
