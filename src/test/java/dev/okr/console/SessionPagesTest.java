package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Signing out, and error pages. */
@QuarkusTest
class SessionPagesTest extends HttpTest {
    @Test
    void signing_out_after_the_session_expired_needs_confirmation() {
        var browser = Browser.of(service);
        var page = browser.signIn(
                        browser.post("/settings/sign-out", "form_token", "old"),
                        acme.memberUser().email())
                .is(200)
                .shows("Your session had expired", "Stay signed in");
        assertThat(page.address().getPath()).isEqualTo("/settings/sign-out");
        browser.post("/settings/sign-out", "form_token", page.formToken())
                .is(200)
                .shows("You are signed out");
        browser.getOnly("/settings").is(302);
    }

    @Test
    void a_copied_cookie_does_not_work_after_signing_out() throws InterruptedException {
        var browser = browser(acme.memberUser().email());
        var copy = browser.copy();
        // The provider for tests gives sessions no id. Their times have seconds.
        Thread.sleep(1_100);
        var other = browser(acme.memberUser().email());
        copy.getOnly("/settings/api-keys").is(200);
        browser.post(
                        "/settings/sign-out",
                        "form_token",
                        browser.get("/settings").formToken())
                .is(200);
        copy.getOnly("/settings/api-keys").is(303);
        copy.getOnly("/settings/api-keys").is(302);
        other.getOnly("/settings/api-keys").is(200);
    }

    @Test
    void a_failed_sign_in_can_be_retried_with_a_link() {
        Browser.of(service)
                .getOnly("/settings/sign-in-failed")
                .is(403)
                .shows("Not signed in", "href=\"/settings\">Try again</a>");
    }

    @Test
    void an_address_with_nul_is_an_unknown_user() {
        for (var strange : List.of("nobody\u0000@acme.test", "nobody\u0007@acme.test")) {
            browser(strange).get("/settings/api-keys").is(403).shows("No active user");
        }
    }

    @Test
    void an_address_of_two_users_is_rejected() {
        var email = acme.memberUser().email();
        TestDatabase.execute("DROP INDEX users_email_ascii");
        TestDatabase.execute("DROP INDEX users_email");
        var twin = organization();
        try {
            TestDatabase.execute(
                    "UPDATE users SET email = ? WHERE id = ?",
                    email.toUpperCase(Locale.ROOT),
                    twin.memberUser().uuid());
            browser(email).get("/settings/api-keys").is(403).shows("Several users have the email address");
        } finally {
            TestDatabase.execute(
                    "UPDATE users SET email = id || '@acme.test' WHERE id = ?",
                    twin.memberUser().uuid());
            TestDatabase.execute("CREATE UNIQUE INDEX users_email_ascii ON users (lower(email COLLATE \"C\"))");
            TestDatabase.execute("CREATE UNIQUE INDEX users_email ON users (lower(email))");
        }
    }

    @Test
    void errors_of_the_framework_have_readable_pages() {
        var browser = browser(acme.memberUser().email());
        var token = browser.get("/settings/overview").formToken();
        browser.post("/settings/overview", "form_token", token)
                .is(405)
                .shows("Go back to the start page", "request id")
                .hides("Allow header");
    }

    @Test
    void forms_may_redirect_only_to_the_provider() {
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
