package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packaged service without a provider, and with one that is away. */
@QuarkusIntegrationTest
@Tag("waits")
class ProviderIT extends HttpTest {
    private static final String KEYS = "/settings/api-keys";

    @Test
    void without_a_provider_the_console_is_off_and_the_log_says_so() {
        try (var process = ServiceProcess.onTestDatabase(Map.of())) {
            var browser = Browser.of(process.uri());
            for (var path : new String[] {"/settings", KEYS, "/settings/assets/x/y", "/settings/signed-out"}) {
                browser.getOnly(path).is(404).shows("The console is off.");
            }
            browser.postOnly(KEYS, "name", "x").is(404);
            assertThat(member.at(process.uri()).get("/v1/users/me").is(200).id())
                    .isEqualTo(acme.memberUser().id());
            assertThat(ServiceProcess.log()).contains("The console is off.");
        }
    }

    @Test
    void a_provider_that_is_away_stops_neither_the_service_nor_the_api() {
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
                    .shows("Nobody can sign in right now", "quote the request id");
            assertThat(page.header("Retry-After")).isEqualTo("5");
            Browser.of(process.uri()).getOnly("/settings/signed-out").is(200);
        }
    }

    @Test
    void an_address_that_the_provider_has_not_verified_lets_nobody_in() {
        // The provider of the tests says nothing of the sort, neither in the token nor at its UserInfo endpoint.
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
                        .shows("has not verified that " + acme.memberUser().email());
            }
        }
    }

    /** Where the provider of the service that all tests share is. */
    private String provider() {
        var signIn = URI.create(Browser.of(service).getOnly(KEYS).is(302).header("Location"));
        return signIn.resolve("/").toString().replaceFirst("/$", "");
    }
}
