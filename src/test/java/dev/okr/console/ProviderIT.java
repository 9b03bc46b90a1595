package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.SignInProvider;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packaged service without a provider, and with an unreachable one. */
@QuarkusIntegrationTest
@Tag("waits")
class ProviderIT extends HttpTest {
    private static final String KEYS = "/settings/api-keys";

    @Test
    void without_a_provider_the_console_is_disabled_and_this_is_logged() {
        try (var process = ServiceProcess.onTestDatabase(Map.of())) {
            var browser = Browser.of(process.uri());
            for (var path : new String[] {"/settings", KEYS, "/settings/assets/x/y", "/settings/signed-out"}) {
                browser.getOnly(path).is(404).shows("The console is disabled.");
            }
            browser.postOnly(KEYS, "name", "x").is(404);
            assertThat(member.at(process.uri()).get("/v1/users/me").is(200).id())
                    .isEqualTo(acme.memberUser().id());
            assertThat(ServiceProcess.log()).contains("The console is disabled.");
        }
    }

    @Test
    void an_unreachable_provider_does_not_affect_the_api() {
        // Nothing listens on the discard port.
        var environment = Map.of(
                "QUARKUS_OIDC_AUTH_SERVER_URL",
                "http://127.0.0.1:9",
                "QUARKUS_OIDC_CLIENT_ID",
                "okr",
                "QUARKUS_OIDC_CREDENTIALS_SECRET",
                "secret");
        try (var process = ServiceProcess.onTestDatabase(environment)) {
            member.at(process.uri()).get("/v1/users/me").is(200);
            var page = Browser.of(process.uri())
                    .getOnly(KEYS)
                    .is(503)
                    .shows("Sign-in is temporarily unavailable", "mention the request id", ">Try again</a>");
            assertThat(page.header("Retry-After")).isEqualTo("5");
            Browser.of(process.uri()).withCookie("q_session", "x").getOnly(KEYS).is(503);
            Browser.of(process.uri()).getOnly("/settings/signed-out").is(200);
        }
    }

    @Test
    void an_unverified_email_address_is_rejected() {
        // The test provider does not send email_verified, neither in the token nor with UserInfo.
        for (var userInfo : new String[] {"false", "true"}) {
            var environment = Map.of(
                    "QUARKUS_OIDC_AUTH_SERVER_URL",
                    provider(),
                    "QUARKUS_OIDC_CLIENT_ID",
                    "quarkus-app",
                    "QUARKUS_OIDC_CREDENTIALS_SECRET",
                    "secret",
                    "QUARKUS_OIDC_AUTHENTICATION_USER_INFO_REQUIRED",
                    userInfo,
                    "QUARKUS_OIDC_TOKEN_STATE_MANAGER_STRATEGY",
                    "keep-all-tokens");
            try (var process = ServiceProcess.onTestDatabase(environment)) {
                var browser = Browser.signedIn(process.uri(), acme.memberUser().email());
                browser.get(KEYS)
                        .is(403)
                        .shows("has not verified your email address "
                                + acme.memberUser().email());
            }
        }
    }

    @Test
    void a_session_of_the_provider_that_continues_does_not_lock_people_out() {
        try (var provider = SignInProvider.start(acme.memberUser().email());
                var process = ServiceProcess.onTestDatabase(provider.environment());
                var replica = ServiceProcess.onTestDatabase(provider.environment())) {
            signOutAndInAgain(process.uri(), replica.uri());
            assertThat(provider.newSignIns()).isEqualTo(1);

            provider.hideSession();
            signOutAndInAgain(process.uri(), replica.uri());
            assertThat(provider.newSignIns()).isEqualTo(2);

            provider.ignorePrompts();
            var browser = Browser.of(process.uri());
            browser.get(KEYS).is(200);
            signOut(browser);
            browser.get(KEYS).is(403).shows("did not ask you to sign in again", "action=\"/settings/sign-out\"");
        }
    }

    private static void signOutAndInAgain(URI service, URI replica) {
        var browser = Browser.of(service);
        browser.get(KEYS).is(200);
        var copy = browser.copy();
        var copyAtReplica = browser.copyAt(replica);
        copyAtReplica.getOnly(KEYS).is(200);
        signOut(browser);
        assertThat(copy.getOnly(KEYS).is(303).header("Location")).endsWith("/settings/sign-in-again");
        copyAtReplica.getOnly(KEYS).is(303);
        browser.get(KEYS).is(200).shows("Overview");
        browser.get(KEYS).is(200);
    }

    private static void signOut(Browser browser) {
        browser.post("/settings/sign-out", "form_token", browser.get(KEYS).formToken())
                .is(200)
                .shows("You are signed out");
    }

    @Test
    void claims_of_a_rejected_id_token_are_not_logged() {
        var email = "nobody-may-read-this@acme.test";
        try (var provider = SignInProvider.start(email);
                var process = ServiceProcess.onTestDatabase(provider.environment())) {
            // The file also has the lines of earlier runs.
            int before = ServiceProcess.log().length();
            provider.mistakeClient();
            Browser.of(process.uri()).get(KEYS).is(401).shows("The sign-in failed.");
            assertThat(ServiceProcess.log().substring(before))
                    .contains("somebody-else")
                    .doesNotContain(email);
        }
    }

    /** The URL of the provider that the shared test service uses. */
    private String provider() {
        var signIn = URI.create(Browser.of(service).getOnly(KEYS).is(302).header("Location"));
        return signIn.resolve("/").toString().replaceFirst("/$", "");
    }
}
