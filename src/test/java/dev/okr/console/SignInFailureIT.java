package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.SignInProvider;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions and sign-ins whose cookies the packaged service cannot read. */
@QuarkusIntegrationTest
@Tag("waits")
class SignInFailureIT extends HttpTest {
    private static final String KEYS = "/settings/api-keys";
    private static final String CALLBACK = "/settings/signed-in?code=sent-code&state=abc";
    private static final String NEW_KEY =
            Base64.getEncoder().encodeToString("another key of thirty-two bytes!".getBytes(StandardCharsets.US_ASCII));
    private static final int MAX_LINE = 600;

    private SignInProvider provider;

    @BeforeEach
    void startProvider() {
        provider = SignInProvider.start(acme.memberUser().email());
    }

    @AfterEach
    void stopProvider() {
        provider.close();
    }

    @Test
    void after_a_change_of_the_encryption_key_people_sign_in_again() {
        try (var old = start(Map.of());
                var changed = start(Map.of("OKR_ENCRYPTION_KEY", NEW_KEY, "OKR_ENCRYPTION_KEYS_PREVIOUS", oldKey()))) {
            var browser = Browser.of(old.uri());
            browser.get(KEYS).is(200);

            var reading = browser.copyAt(changed.uri());
            assertThat(reading.getOnly(KEYS).is(302).header("Location")).contains("/authorize?");
            assertThat(reading.get(KEYS).is(200).address().getPath()).isEqualTo(KEYS);

            var sending = browser.copyAt(changed.uri());
            sending.postOnly(KEYS, "name", "x").is(401).shows("Your session has ended.", "<a href=\"/settings\">");
            sending.get("/settings").is(200);
        }
    }

    @Test
    void a_sign_in_that_began_before_a_change_of_the_encryption_key_begins_again() {
        try (var old = start(Map.of());
                var changed = start(Map.of("OKR_ENCRYPTION_KEY", NEW_KEY, "OKR_ENCRYPTION_KEYS_PREVIOUS", oldKey()))) {
            var browser = Browser.of(old.uri());
            var callback = callback(browser);
            var moved = browser.copyAt(changed.uri());
            assertThat(moved.getOnly(callback).is(302).header("Location")).endsWith("/settings/sign-in-again");
            moved.get("/settings/sign-in-again").is(200);
            assertThat(provider.newSignIns()).isEqualTo(1);
        }
    }

    @Test
    void cookies_that_the_browser_keeps_or_refuses_do_not_cause_a_loop() {
        try (var process = start(Map.of())) {
            var browser = Browser.of(process.uri());
            var callback = callback(browser);
            // The cookie of another path or domain stays although the service deletes its own.
            browser.withCookie("q_session", "x").getOnly(callback).is(401).shows("Your session has ended.");
            Browser.of(process.uri()).getOnly(callback).is(401).shows("did not send the cookie");
            Browser.of(process.uri()).getOnly("/settings/signed-in").is(302);
        }
    }

    @Test
    void failed_sign_ins_are_limited_and_logged_in_one_short_line() {
        int limit = 3;
        try (var process = start(Map.of("OKR_RATE_LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE", String.valueOf(limit)))) {
            int before = ServiceProcess.log().length();
            var browser = Browser.of(process.uri()).withCookie("q_auth_abc", "abc|sent-state");
            browser.copy().getOnly(CALLBACK).is(302);
            browser.copy().withCookie("q_auth_abc", "other").getOnly(CALLBACK).is(401);
            var rejected = Browser.of(process.uri());
            rejected.getOnly(callback(rejected).replaceFirst("code=[^&]*", "code=sent-code"))
                    .is(401);
            assertThat(browser.copy().getOnly(CALLBACK).is(429).header("Retry-After"))
                    .isNotEmpty();
            browser.copy()
                    .withCookie("q_session_chunk_a", "sent-session")
                    .getOnly(KEYS)
                    .is(302);
            assertThat(unusual(ServiceProcess.log().substring(before)))
                    .hasSize(limit)
                    .allSatisfy(line -> assertThat(line)
                            .contains("Sign-in failed: ")
                            .doesNotContain("sent-", "exception")
                            .hasSizeLessThan(MAX_LINE))
                    .last()
                    .asString()
                    .contains("invalid_grant");
        }
    }

    private ServiceProcess start(Map<String, String> environment) {
        var all = new HashMap<>(provider.environment());
        all.putAll(environment);
        return ServiceProcess.onTestDatabase(all);
    }

    private static String oldKey() {
        return TestDatabase.ENCRYPTION_KEY;
    }

    /** Starts a sign-in and returns the path and query to which the provider redirects. */
    private static String callback(Browser browser) {
        var atProvider = browser.getOnly(browser.getOnly(KEYS).is(302).header("Location"));
        var address = URI.create(atProvider.is(302).header("Location"));
        return address.getRawPath() + '?' + address.getRawQuery();
    }

    /** The lines of a log, without the line that each request causes. */
    private static List<String> unusual(String log) {
        return log.lines().filter(line -> !line.contains("dev.okr.access")).toList();
    }
}
