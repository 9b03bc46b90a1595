package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Signing out, and what people see of what they cannot do. */
@QuarkusTest
class SessionPagesTest extends HttpTest {
    @Test
    void a_sign_out_after_the_session_has_ended_is_asked_about_again() {
        var browser = Browser.of(service);
        var page = browser.signIn(
                        browser.post("/settings/sign-out", "form_token", "old"),
                        acme.memberUser().email())
                .is(200)
                .shows("Your session had ended", "Stay signed in");
        assertThat(page.address().getPath()).isEqualTo("/settings/sign-out");
        browser.post("/settings/sign-out", "form_token", page.formToken())
                .is(200)
                .shows("You have signed out");
        browser.getOnly("/settings").is(302);
    }

    @Test
    void a_name_that_no_database_takes_is_nobody() {
        for (var strange : List.of("nobody\u0000@acme.test", "nobody\u0007@acme.test")) {
            browser(strange).get("/settings/api-keys").is(403).shows("No active user");
        }
    }

    @Test
    void what_the_framework_refuses_is_said_for_people() {
        var browser = browser(acme.memberUser().email());
        var token = browser.get("/settings/overview").formToken();
        browser.post("/settings/overview", "form_token", token)
                .is(405)
                .shows("Go back to the start", "request id")
                .hides("Allow header");
    }

    @Test
    void forms_lead_to_the_provider_and_nowhere_else() {
        var browser = browser(acme.memberUser().email());
        var provider = browser.postOnly(
                        "/settings/sign-out",
                        "form_token",
                        browser(acme.memberUser().email()).get("/settings").formToken())
                .header("Location")
                .replaceFirst("(://[^/]+)/.*", "$1");
        assertThat(browser(acme.memberUser().email()).get("/settings").header("Content-Security-Policy"))
                .endsWith("form-action 'self' " + provider);
    }

    private Browser browser(String email) {
        return Browser.signedIn(service, email);
    }
}
