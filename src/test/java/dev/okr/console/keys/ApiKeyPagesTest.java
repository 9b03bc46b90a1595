package dev.okr.console.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.organizations.audit.AccessLock;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import dev.okr.testing.Api;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ApiKeyPagesTest extends HttpTest {
    private static final String KEYS = "/settings/api-keys";
    private static final String NEW = KEYS + "/new";
    private static final String ME = "/v1/users/me";
    private static final Pattern KEY_ID = Pattern.compile(KEYS + "/(key_[0-9a-z]+)/revoke");
    private static final Duration EFFECTIVE_WITHIN = Duration.ofSeconds(5);

    @Test
    void a_key_is_created_used_rotated_and_revoked() {
        var browser = browser(acme.memberUser());
        var first = token(create(browser, "nightly export").is(200));
        assertThat(stranger().with(first).get(ME).is(200).id())
                .isEqualTo(acme.memberUser().id());

        var old = id(browser.get(KEYS));
        var rotation = KEYS + '/' + old + "/rotate";
        var second = token(
                browser.submit(rotation, rotation, "overlap", "day").is(200).shows("1 day"));
        assertThat(second).isNotEqualTo(first);
        stranger().with(first).get(ME).is(200);
        stranger().with(second).get(ME).is(200);

        for (var token : new String[] {second, first}) {
            var revocation = KEYS + '/' + id(browser.get(KEYS)) + "/revoke";
            browser.submit(revocation, revocation).is(200).shows("The API key is revoked.");
            becomesUnauthenticated(stranger().with(token));
        }
        browser.get(KEYS).hides("The API key is revoked.").shows("Revoked");
        browser(acme.adminUser())
                .get("/settings/audit")
                .is(200)
                .shows("Grace Hopper", "created", "rotated", "revoked", "nightly export");
    }

    @Test
    void a_token_is_shown_once_and_not_cached() {
        var browser = browser(acme.viewerUser());
        var page = create(browser, "once").is(200).shows("curl -H");
        assertThat(page.header("Cache-Control")).isEqualTo("no-store");
        browser.get(KEYS).shows("once").hides(token(page));
    }

    @Test
    void errors_are_shown_next_to_their_fields_and_other_input_is_kept() {
        var browser = browser(acme.memberUser());
        browser.submit(NEW, KEYS, "name", " ", "scopes", "webhooks", "expires", "days_30")
                .is(422)
                .shows(
                        "aria-describedby=\"name-error\"",
                        "Enter a name.",
                        "value=\"webhooks\" checked",
                        "value=\"days_30\" checked")
                .hides("value=\"read\" checked");
        browser.submit(NEW, KEYS, "name", "<b>\"x\"", "expires", "sometime")
                .is(422)
                .shows("Select at least one option.", "Select an option.", "&lt;b&gt;&quot;x&quot;");
        browser.submit(NEW, KEYS, "name", "x".repeat(251), "scopes", "all", "expires", "never")
                .is(422)
                .shows("A name can have at most 250 characters.");
        assertThat(keysOf(acme.memberUser())).isOne();
    }

    @Test
    void names_are_escaped() {
        var browser = browser(acme.memberUser());
        create(browser, "<script>alert(1)</script>").is(200).hides("<script>alert");
        browser.get(KEYS).shows("&lt;script&gt;alert(1)").hides("<script>alert");
    }

    @Test
    void users_manage_their_own_keys_and_admins_see_and_revoke_all() {
        var owner = browser(acme.memberUser());
        create(owner, "of the member");
        var id = id(owner.get(KEYS));
        var viewer = browser(acme.viewerUser());
        viewer.get(KEYS).hides("of the member");
        var admin = browser(acme.adminUser());
        admin.get(KEYS).shows("of the member", "Grace Hopper");

        var rotation = KEYS + '/' + id + "/rotate";
        admin.get(rotation).is(403);
        admin.submit(NEW, rotation, "overlap", "day").is(403);
        for (var action : new String[] {"rotate", "revoke"}) {
            viewer.get(KEYS + '/' + id + '/' + action).is(404);
            viewer.submit(NEW, KEYS + '/' + id + '/' + action, "overlap", "day").is(404);
        }
        owner.get(KEYS).hides("Revoked");
        var revocation = KEYS + '/' + id + "/revoke";
        admin.submit(revocation, revocation).is(200);
        owner.get(KEYS).shows("Revoked");
        owner.submit(NEW, rotation, "overlap", "day").is(409);
    }

    /** The lock stands for an import, which stops when somebody shares it. */
    @Test
    void only_an_admin_stops_an_import_by_revoking_a_key() throws SQLException {
        var owner = browser(acme.memberUser());
        create(owner, "of the member");
        var revocation = KEYS + '/' + id(owner.get(KEYS)) + "/revoke";
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            AccessLock.isShared(new Sql(connection), acme.id());
            browser(acme.adminUser()).submit(revocation, revocation).is(503);
            owner.submit(revocation, revocation).is(200);
            connection.rollback();
        }
    }

    @Test
    void without_the_business_plan_the_page_explains_what_to_do() {
        var poor = organization("team");
        var browser = browser(poor.memberUser());
        browser.get(KEYS).is(200).shows("API access requires the Business plan");
        browser.get(NEW).is(200).shows("API access requires the Business plan");
        var token = browser.get(NEW).formToken();
        var id = IdKind.API_KEY.format(UuidV7.at(Instant.now()));
        browser.post(KEYS, "form_token", token, "id", id, "name", "x", "scopes", "read", "expires", "never")
                .is(403)
                .shows("Business plan");
        assertThat(keysOf(poor.memberUser())).isOne();
    }

    @Test
    void without_the_business_plan_keys_cannot_be_rotated() {
        var poor = organization("team");
        var browser = browser(poor.memberUser());
        var keys = browser.get(KEYS).is(200).hides("/rotate\"");
        var rotation = KEYS + '/' + id(keys) + "/rotate";
        browser.get(rotation).is(403).shows("Business plan");
        browser.post(rotation, "form_token", keys.formToken(), "overlap", "day").is(403);
        assertThat(keysOf(poor.memberUser())).isOne();
    }

    @Test
    void submitting_a_form_twice_creates_one_key() {
        var browser = browser(acme.memberUser());
        var page = browser.get(NEW);
        var fields = new String[] {
            "form_token",
            page.formToken(),
            "id",
            page.find("name=\"id\" value=\"(key_\\w+)\""),
            "name",
            "twice",
            "scopes",
            "read",
            "expires",
            "never"
        };
        browser.post(KEYS, fields).is(200).shows("okr_");
        browser.post(KEYS, fields).is(409).shows("already created").hides("okr_");
        assertThat(keysOf(acme.memberUser())).isEqualTo(2);
        fields[3] = "key_nope";
        browser.post(KEYS, fields).is(400).shows("The form is incomplete");
    }

    @Test
    void submitting_a_form_concurrently_creates_one_key() throws Exception {
        var browser = browser(acme.memberUser());
        var page = browser.get(NEW);
        var id = page.find("name=\"id\" value=\"(key_\\w+)\"");
        var fields = new String[] {
            "form_token", page.formToken(), "id", id, "name", "at once", "scopes", "read", "expires", "never"
        };
        Callable<Integer> send = () -> browser.postOnly(KEYS, fields).status();
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var sent : threads.invokeAll(Collections.nCopies(4, send))) {
                statuses.add(sent.get());
            }
        }
        assertThat(statuses).containsExactlyInAnyOrder(200, 409, 409, 409);
        assertThat(keysOf(acme.memberUser())).isEqualTo(2);
    }

    @Test
    void a_key_can_be_rotated_once() {
        var browser = browser(acme.memberUser());
        create(browser, "rotated");
        var rotation = KEYS + '/' + id(browser.get(KEYS)) + "/rotate";
        browser.submit(rotation, rotation, "overlap", "week").is(200);
        browser.submit(NEW, rotation, "overlap", "week").is(409).shows("already rotated");
        browser.get(rotation).is(409);
        browser.get(KEYS).hides(rotation).shows("class=\"state warn\">Replaced, expires soon");
        assertThat(keysOf(acme.memberUser())).isEqualTo(3);
    }

    @Test
    void a_long_list_has_pages() {
        for (int i = 0; i < 30; i++) {
            acme.key(acme.memberUser().uuid());
        }
        var browser = browser(acme.memberUser());
        browser.get(KEYS).is(200).shows("Page 1 of 2", "page=2").hides("rel=\"prev\"");
        browser.get(KEYS + "?page=2").is(200).shows("Page 2 of 2", "page=1").hides("rel=\"next\"");
        browser.get(KEYS + "?page=0").is(400);
        browser.get(KEYS + "?cursor=").is(400);
        browser.get(KEYS + "?page=99").is(200);
    }

    private Browser browser(TestUser user) {
        return Browser.signedIn(service, user.email());
    }

    private static Browser.Page create(Browser browser, String name) {
        return browser.submit(NEW, KEYS, "name", name, "scopes", "read", "scopes", "write", "expires", "days_90");
    }

    private static String token(Browser.Page page) {
        return page.find("<code id=\"token\">(okr_\\w+)</code>");
    }

    /** The id of the newest valid key, from the link that revokes it. */
    private static String id(Browser.Page keys) {
        return keys.is(200).find(KEY_ID.pattern());
    }

    private static long keysOf(TestUser user) {
        return TestDatabase.count("SELECT count(*) FROM api_key WHERE user_id = ?", user.uuid());
    }

    private static void becomesUnauthenticated(Api api) {
        var deadline = Instant.now().plus(EFFECTIVE_WITHIN);
        while (api.get(ME).status() != 401) {
            assertThat(Instant.now()).isBefore(deadline);
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
