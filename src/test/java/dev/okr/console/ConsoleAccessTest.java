package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Access to the pages by role. A page that is missing in the table fails a test. */
@QuarkusTest
class ConsoleAccessTest extends HttpTest {
    private static final java.nio.file.Path CLASSES = java.nio.file.Path.of("target", "classes");

    /**
     * Every page with its status for a viewer, a member and an admin. The id in the path names a resource of their own
     * organisation.
     */
    private enum Route {
        START("GET", "/settings", Things.NONE, 303, 303, 303),
        SIGNED_IN("GET", "/settings/signed-in", Things.NONE, 303, 303, 303),
        SIGN_IN_AGAIN("GET", "/settings/sign-in-again", Things.NONE, 303, 303, 303),
        SIGN_OUT("POST", "/settings/sign-out", Things.NONE, 303, 303, 303),
        SIGNING_OUT("GET", "/settings/sign-out", Things.NONE, 200, 200, 200),
        WEEK("GET", "/settings/week", Things.NONE, 200, 200, 200),
        CHECK_IN("POST", "/settings/week/{id}", Things.KEY_RESULT, 403, 400, 400),
        MENU("GET", "/settings/menu", Things.NONE, 200, 200, 200),
        OVERVIEW("GET", "/settings/overview", Things.NONE, 200, 200, 200),
        CYCLE_OBJECTIVES("GET", "/settings/overview/objectives", Things.NONE, 200, 200, 200),
        CYCLE_OBJECTIVES_EXPORT("GET", "/settings/overview/objectives.csv", Things.NONE, 200, 200, 200),
        OBJECTIVE("GET", "/settings/objectives/{id}", Things.OBJECTIVE, 200, 200, 200),
        CHECK_IN_ON_OBJECTIVE(
                "POST", "/settings/objectives/{id}/check-ins/{keyResultId}", Things.OBJECTIVE, 403, 400, 400),
        OBJECTIVE_CHANGES("GET", "/settings/objectives/{id}/changes", Things.OBJECTIVE, 200, 200, 200),
        NEW_OBJECTIVE("GET", "/settings/objectives/new", Things.NONE, 403, 200, 200),
        CREATE_OBJECTIVE("POST", "/settings/objectives", Things.NONE, 403, 400, 400),
        EDITING_OBJECTIVE("GET", "/settings/objectives/{id}/edit", Things.OBJECTIVE, 403, 200, 200),
        EDIT_OBJECTIVE("POST", "/settings/objectives/{id}/edit", Things.OBJECTIVE, 403, 303, 303),
        OBJECTIVE_DELETION("GET", "/settings/objectives/{id}/delete", Things.OBJECTIVE, 403, 200, 200),
        DELETE_OBJECTIVE("POST", "/settings/objectives/{id}/delete", Things.OBJECTIVE, 403, 303, 303),
        DELETED_OBJECTIVES("GET", "/settings/deleted-objectives", Things.NONE, 200, 200, 200),
        RESTORE_OBJECTIVE("POST", "/settings/deleted-objectives/{id}/restore", Things.OBJECTIVE, 403, 303, 303),
        KEY_RESULT("GET", "/settings/key-results/{id}", Things.KEY_RESULT, 200, 200, 200),
        NEW_KEY_RESULT("GET", "/settings/key-results/new", Things.NONE, 403, 404, 404),
        CREATE_KEY_RESULT("POST", "/settings/key-results", Things.NONE, 403, 400, 400),
        EDITING_KEY_RESULT("GET", "/settings/key-results/{id}/edit", Things.KEY_RESULT, 403, 200, 200),
        EDIT_KEY_RESULT("POST", "/settings/key-results/{id}/edit", Things.KEY_RESULT, 403, 303, 303),
        KEY_RESULT_DELETION("GET", "/settings/key-results/{id}/delete", Things.KEY_RESULT, 403, 200, 200),
        DELETE_KEY_RESULT("POST", "/settings/key-results/{id}/delete", Things.KEY_RESULT, 403, 303, 303),
        CREATE_CHECK_IN("POST", "/settings/key-results/{id}/check-ins", Things.KEY_RESULT, 403, 400, 400),
        EDITING_CHECK_IN(
                "GET", "/settings/key-results/{id}/check-ins/{checkInId}/edit", Things.CHECK_IN, 403, 200, 200),
        EDIT_CHECK_IN("POST", "/settings/key-results/{id}/check-ins/{checkInId}/edit", Things.CHECK_IN, 403, 303, 303),
        CHECK_IN_DELETION(
                "GET", "/settings/key-results/{id}/check-ins/{checkInId}/delete", Things.CHECK_IN, 403, 200, 200),
        DELETE_CHECK_IN(
                "POST", "/settings/key-results/{id}/check-ins/{checkInId}/delete", Things.CHECK_IN, 403, 303, 303),
        ALIGNING("GET", "/settings/alignments", Things.NONE, 403, 404, 404),
        ALIGN("POST", "/settings/alignments", Things.NONE, 403, 404, 404),
        CHANGE_WEIGHT("POST", "/settings/alignments/{id}/weight", Things.ALIGNMENT, 403, 303, 303),
        ALIGNMENT_DELETION("GET", "/settings/alignments/{id}/delete", Things.ALIGNMENT, 403, 404, 404),
        DELETE_ALIGNMENT("POST", "/settings/alignments/{id}/delete", Things.ALIGNMENT, 403, 303, 303),
        NEW_CYCLE("GET", "/settings/cycles/new", Things.NONE, 403, 403, 200),
        CREATE_CYCLE("POST", "/settings/cycles", Things.NONE, 403, 403, 400),
        CYCLE("GET", "/settings/cycles/{id}", Things.CYCLE, 403, 403, 200),
        EDITING_CYCLE("GET", "/settings/cycles/{id}/edit", Things.CYCLE, 403, 403, 200),
        EDIT_CYCLE("POST", "/settings/cycles/{id}/edit", Things.CYCLE, 403, 403, 303),
        SCORE("POST", "/settings/cycles/{id}/scores/{objectiveId}", Things.CYCLE, 403, 403, 303),
        CLOSE_CYCLE("POST", "/settings/cycles/{id}/close", Things.CYCLE, 403, 403, 409),
        REOPEN_CYCLE("POST", "/settings/cycles/{id}/reopen", Things.CYCLE, 403, 403, 303),
        CARRYING_OVER("GET", "/settings/cycles/{id}/carry-over", Things.CYCLE, 403, 403, 200),
        CARRY_OVER("POST", "/settings/cycles/{id}/carry-over", Things.CYCLE, 403, 403, 422),
        KEYS("GET", "/settings/api-keys", Things.NONE, 200, 200, 200),
        NEW_KEY("GET", "/settings/api-keys/new", Things.NONE, 200, 200, 200),
        CREATE_KEY("POST", "/settings/api-keys", Things.NONE, 400, 400, 400),
        ROTATION("GET", "/settings/api-keys/{id}/rotate", Things.KEY, 200, 200, 200),
        ROTATE("POST", "/settings/api-keys/{id}/rotate", Things.KEY, 422, 422, 422),
        REVOCATION("GET", "/settings/api-keys/{id}/revoke", Things.KEY, 200, 200, 200),
        REVOKE("POST", "/settings/api-keys/{id}/revoke", Things.KEY, 303, 303, 303),
        PEOPLE("GET", "/settings/people", Things.NONE, 403, 403, 200),
        NEW_PERSON("GET", "/settings/people/new", Things.NONE, 403, 403, 200),
        INVITE("POST", "/settings/people", Things.NONE, 403, 403, 422),
        PERSON("GET", "/settings/people/{id}", Things.PERSON, 403, 403, 200),
        CHANGE_ROLE("POST", "/settings/people/{id}/role", Things.PERSON, 403, 403, 422),
        DEACTIVATION("GET", "/settings/people/{id}/deactivate", Things.PERSON, 403, 403, 200),
        DEACTIVATE("POST", "/settings/people/{id}/deactivate", Things.PERSON, 403, 403, 303),
        REACTIVATE("POST", "/settings/people/{id}/reactivate", Things.PERSON, 403, 403, 303),
        TEAMS("GET", "/settings/teams", Things.NONE, 200, 200, 200),
        NEW_TEAM("GET", "/settings/teams/new", Things.NONE, 403, 403, 200),
        CREATE_TEAM("POST", "/settings/teams", Things.NONE, 403, 403, 422),
        TEAM("GET", "/settings/teams/{id}", Things.TEAM, 200, 200, 200),
        RENAMING("GET", "/settings/teams/{id}/rename", Things.TEAM, 403, 403, 200),
        RENAME("POST", "/settings/teams/{id}/rename", Things.TEAM, 403, 403, 422),
        NEW_MEMBER("GET", "/settings/teams/{id}/members/new", Things.TEAM, 403, 403, 200),
        ADD_MEMBER("POST", "/settings/teams/{id}/members", Things.TEAM, 403, 403, 422),
        CHANGE_MEMBER("POST", "/settings/teams/{id}/members/{userId}/role", Things.TEAM, 403, 403, 400),
        REMOVAL("GET", "/settings/teams/{id}/members/{userId}/remove", Things.TEAM, 403, 403, 200),
        TEAM_OBJECTIVES("GET", "/settings/teams/{id}/objectives", Things.TEAM, 200, 200, 200),
        REMOVE_MEMBER("POST", "/settings/teams/{id}/members/{userId}/remove", Things.TEAM, 403, 403, 303),
        WEBHOOKS("GET", "/settings/webhooks", Things.NONE, 403, 403, 200),
        WEBHOOK("GET", "/settings/webhooks/{id}", Things.WEBHOOK, 403, 403, 200),
        PING("POST", "/settings/webhooks/{id}/ping", Things.WEBHOOK, 403, 403, 409),
        PAUSE("POST", "/settings/webhooks/{id}/pause", Things.WEBHOOK, 403, 403, 303),
        RESUME("POST", "/settings/webhooks/{id}/resume", Things.WEBHOOK, 403, 403, 303),
        NEW_WEBHOOK("GET", "/settings/webhooks/new", Things.NONE, 403, 403, 200),
        CREATE_WEBHOOK("POST", "/settings/webhooks", Things.NONE, 403, 403, 400),
        EDITING_WEBHOOK("GET", "/settings/webhooks/{id}/edit", Things.WEBHOOK, 403, 403, 200),
        EDIT_WEBHOOK("POST", "/settings/webhooks/{id}/edit", Things.WEBHOOK, 403, 403, 409),
        SECRET_ROTATION("GET", "/settings/webhooks/{id}/rotate-secret", Things.WEBHOOK, 403, 403, 200),
        ROTATE_SECRET("POST", "/settings/webhooks/{id}/rotate-secret", Things.WEBHOOK, 403, 403, 409),
        RECOVERY("GET", "/settings/webhooks/{id}/recover", Things.WEBHOOK, 403, 403, 200),
        RECOVER("POST", "/settings/webhooks/{id}/recover", Things.WEBHOOK, 403, 403, 422),
        WEBHOOK_DELETION("GET", "/settings/webhooks/{id}/delete", Things.WEBHOOK, 403, 403, 200),
        DELETE_WEBHOOK("POST", "/settings/webhooks/{id}/delete", Things.WEBHOOK, 403, 403, 303),
        DELIVERY("GET", "/settings/webhooks/{id}/deliveries/{deliveryId}", Things.WEBHOOK, 403, 403, 200),
        REDELIVER("POST", "/settings/webhooks/{id}/deliveries/{deliveryId}/redeliver", Things.WEBHOOK, 403, 403, 409),
        DATA("GET", "/settings/data", Things.NONE, 403, 403, 200),
        EXPORT("GET", "/settings/data/export", Things.NONE, 403, 403, 200),
        CHECK_FILE("POST", "/settings/data/imports", Things.NONE, 403, 403, 422),
        IMPORT("GET", "/settings/data/imports/{id}", Things.IMPORT, 403, 403, 200),
        START_IMPORT("POST", "/settings/data/imports/{id}/start", Things.IMPORT, 403, 403, 409),
        AUDIT("GET", "/settings/audit", Things.NONE, 403, 403, 200),
        AUDIT_EXPORT("GET", "/settings/audit/csv", Things.NONE, 403, 403, 200);

        private final String method;
        private final String path;
        private final Things things;
        private final int viewer;
        private final int member;
        private final int admin;

        Route(String method, String path, Things things, int viewer, int member, int admin) {
            this.method = method;
            this.path = path;
            this.things = things;
            this.viewer = viewer;
            this.member = member;
            this.admin = admin;
        }
    }

    /** The kind of resource that the id in a path names. */
    private enum Things {
        NONE,
        KEY,
        PERSON,
        /** A team with a member. */
        TEAM,
        /** An inactive webhook with a delivery. */
        WEBHOOK,
        /** A key result in a cycle that is planned. Its objective and the cycle have the same UUID. */
        KEY_RESULT,
        OBJECTIVE,
        CYCLE,
        /** A check-in of such a key result. */
        CHECK_IN,
        ALIGNMENT,
        /** A failed import. */
        IMPORT
    }

    private final Map<String, Browser> browsers = new HashMap<>();

    /** Pages without sign-in. */
    private static final List<String> PUBLIC = List.of(
            "GET /settings/signed-out",
            "GET /settings/sign-in-failed",
            "GET /settings/assets/{hash}/{name}",
            "GET /settings/trial",
            "POST /settings/trial");

    @Test
    void every_page_is_in_the_table() throws IOException {
        var known = new ArrayList<>(PUBLIC);
        for (var route : Route.values()) {
            known.add(route.method + ' ' + route.path);
        }
        assertThat(routes()).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void each_role_can_open_its_pages() {
        newKeyResult(acme.adminUser().uuid());
        var pages = new SoftAssertions();
        for (var route : Route.values()) {
            var statuses = Stream.of(acme.viewerUser(), acme.memberUser(), acme.adminUser())
                    .map(user -> status(route, user.email(), user.uuid()));
            pages.assertThat(statuses).as(route.name()).containsExactly(route.viewer, route.member, route.admin);
        }
        pages.assertAll();
    }

    @Test
    void every_page_requires_sign_in() {
        for (var route : Route.values()) {
            var path = path(route, acme.adminUser().uuid());
            var browser = Browser.of(service);
            var page = route.method.equals("GET") ? browser.getOnly(path) : browser.postOnly(path);
            page.is(302);
            assertThat(page.html()).as(path).isEmpty();
            assertThat(page.header("Location"))
                    .as(path)
                    .contains("/authorize?", "code_challenge_method=S256", "scope=openid");
        }
    }

    @Test
    void resources_of_another_organisation_are_not_found() {
        var owner = organization().adminUser().uuid();
        var pages = new SoftAssertions();
        for (var route : Route.values()) {
            if (route.things == Things.NONE) {
                continue;
            }
            var statuses = Stream.of(acme.viewerUser(), acme.memberUser(), acme.adminUser())
                    .map(user -> status(route, user.email(), owner));
            pages.assertThat(statuses)
                    .as(route.name())
                    .containsExactly(notFound(route.viewer), notFound(route.member), 404);
            for (var id :
                    List.of("x", IdKind.USER.format(UUID.randomUUID()), IdKind.API_KEY.format(UUID.randomUUID()))) {
                var page = send(browser(acme.adminUser().email()), route, route.path.replaceAll("\\{\\w+}", id));
                pages.assertThat(page.status()).as(route.name()).isEqualTo(404);
            }
        }
        pages.assertAll();
    }

    @Test
    void forms_require_the_token_of_the_same_user() {
        var user = acme.adminUser();
        var browser = browser(user.email());
        var others =
                browser(acme.memberUser().email()).get("/settings/api-keys").formToken();
        var mine = browser.get("/settings/api-keys").formToken();
        var complete = List.of("name", "x", "scopes", "read", "expires", "never", "overlap", "none")
                .toArray(String[]::new);
        for (var route : Route.values()) {
            if (route.method.equals("GET")) {
                continue;
            }
            var path = path(route, user.uuid());
            long before = changes();
            for (var token : List.of("", "x", ".", "1." + mine.split("\\.")[1], others, mine + "x", "9" + mine)) {
                browser.postOnly(path, with(complete, "form_token", token)).is(403);
            }
            browser.postOnly(path, complete).is(403);
            assertThat(changes()).as(path).isEqualTo(before);
        }
        browser.get("/settings/api-keys").is(200);
    }

    @Test
    void unknown_and_deactivated_users_get_an_explanation_and_can_sign_out() {
        for (var email : List.of("nobody@acme.test", deactivated())) {
            var browser = browser(email);
            browser.get("/settings/api-keys")
                    .is(403)
                    .shows("No active user has the email address " + email, "action=\"/settings/sign-out\"");
            browser.get("/settings/audit").is(403);
            var token = browser.get("/settings").formToken();
            browser.postOnly(
                            "/settings/api-keys",
                            "form_token",
                            token,
                            "name",
                            "x",
                            "scopes",
                            "read",
                            "expires",
                            "never")
                    .is(403);
            browser.post("/settings/sign-out", "form_token", token).is(200).shows("You are signed out");
            browser.getOnly("/settings").is(302);
        }
    }

    @Test
    void deactivation_and_role_changes_apply_to_the_next_request() {
        var user = acme.user("Mary Jackson", "member");
        var browser = browser(user.email().toUpperCase(java.util.Locale.ROOT));
        browser.get("/settings/audit").is(403);
        TestDatabase.execute("UPDATE users SET role = 'admin' WHERE id = ?", user.uuid());
        browser.get("/settings/audit").is(200);
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", user.uuid());
        browser.get("/settings/audit").is(403).shows("No active user");
    }

    @Test
    void signing_out_ends_the_session_of_the_console_and_the_provider() {
        var browser = browser(acme.memberUser().email());
        var token = browser.get("/settings").formToken();
        var answer = browser.postOnly("/settings/sign-out", "form_token", token).is(303);
        assertThat(answer.header("Location")).contains("/logout?", "id_token_hint=", "post_logout_redirect_uri=");
        browser.getOnly("/settings/api-keys").is(302);
    }

    @Test
    void without_a_trial_nobody_can_choose_a_person() {
        var browser = Browser.of(service);
        for (var page : List.of(
                browser.getOnly("/settings/trial"),
                browser.postOnly("/settings/trial", "email", acme.adminUser().email()))) {
            page.is(404)
                    .shows("Page not found", "There is no page at this address.")
                    .hides("@", "form");
        }
    }

    @Test
    void pages_have_security_headers() {
        var browser = browser(acme.memberUser().email());
        for (var path : List.of("/settings/api-keys", "/settings/nothing", "/settings/signed-out")) {
            var page = browser.get(path);
            assertThat(page.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe");
            assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(page.header("Referrer-Policy")).isEqualTo("same-origin");
            assertThat(page.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
            assertThat(page.header("Cache-Control")).isEqualTo("no-store");
            assertThat(page.header("Content-Type")).startsWith("text/html");
            page.hides("<style", " style=", "onclick", "<script>");
        }
        browser.get("/settings/nothing").is(404).shows("Page not found", "There is no page at this address.");
    }

    @Test
    void error_pages_keep_the_navigation() {
        var browser = browser(acme.memberUser().email());
        for (var path : List.of("/settings/nothing", "/settings/people", "/settings/teams/team_nope")) {
            browser.get(path).shows("aria-label=\"Main\"", "href=\"/settings/week\"", "Sign out");
        }
        Browser.of(service).get("/settings/sign-in-failed").hides("aria-label=\"Main\"", "Sign out");
    }

    @Test
    void the_stylesheet_is_cacheable_and_needs_no_sign_in() {
        var browser = Browser.of(service);
        var address = browser.get("/settings/signed-out").is(200).find("href=\"(/settings/assets/[^\"]+)\"");
        var stylesheet = browser.getOnly(address).is(200);
        assertThat(stylesheet.header("Cache-Control")).contains("immutable");
        assertThat(stylesheet.header("Content-Type")).startsWith("text/css");
        assertThat(stylesheet.response().headers().allValues("Cache-Control")).hasSize(1);
        // Another replica may run a release that has this stylesheet.
        assertThat(browser.getOnly(address.replace("/assets/", "/assets/0"))
                        .is(404)
                        .header("Cache-Control"))
                .isEqualTo("no-store");
    }

    @Test
    void the_session_does_not_authenticate_api_requests() {
        var browser = browser(acme.adminUser().email());
        var answer = browser.getOnly("/v1/users/me").is(401);
        assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(answer.response().headers().allValues("Set-Cookie")).isEmpty();
        assertThat(answer.html()).contains("unauthenticated");
        stranger().with("eyJhbGciOiJSUzI1NiJ9.e30.x").get("/v1/users/me").isProblem(401, "unauthenticated");
        assertThat(admin.get("/v1/users/me").is(200).header("Set-Cookie")).isEmpty();
        // An API key does not authenticate console requests.
        Browser.of(service).getOnly("/settings/api-keys").is(302);
    }

    private int status(Route route, String email, UUID owner) {
        int status = send(browser(email), route, path(route, owner)).status();
        if (route == Route.SIGN_OUT || route == Route.SIGN_IN_AGAIN) {
            browsers.remove(email);
        }
        return status;
    }

    private static Browser.Page send(Browser browser, Route route, String path) {
        if (route.method.equals("GET")) {
            return browser.getOnly(path);
        }
        return browser.postOnly(
                path, "form_token", browser.get("/settings/api-keys").is(200).formToken());
    }

    private static String path(Route route, UUID owner) {
        return switch (route.things) {
            case NONE -> route.path;
            case KEY -> route.path.replace("{id}", newKey(owner));
            case PERSON -> route.path.replace("{id}", newPerson(owner));
            case IMPORT -> route.path.replace("{id}", newImport(owner));
            case KEY_RESULT -> route.path.replace("{id}", IdKind.KEY_RESULT.format(newKeyResult(owner)));
            case OBJECTIVE -> {
                var id = newKeyResult(owner);
                yield route.path
                        .replace("{id}", IdKind.OBJECTIVE.format(id))
                        .replace("{keyResultId}", IdKind.KEY_RESULT.format(id));
            }
            case CYCLE -> {
                var id = newKeyResult(owner);
                yield route.path
                        .replace("{id}", IdKind.CYCLE.format(id))
                        .replace("{objectiveId}", IdKind.OBJECTIVE.format(id));
            }
            case CHECK_IN -> {
                var id = newKeyResult(owner);
                yield route.path
                        .replace("{id}", IdKind.KEY_RESULT.format(id))
                        .replace("{checkInId}", newCheckIn(owner, id));
            }
            case ALIGNMENT -> route.path.replace("{id}", newAlignment(owner));
            case TEAM -> route.path.replace("{id}", newTeam(owner)).replace("{userId}", IdKind.USER.format(owner));
            case WEBHOOK -> {
                var delivery = UuidV7.at(Instant.now());
                yield route.path
                        .replace("{id}", newWebhook(owner, delivery))
                        .replace("{deliveryId}", IdKind.DELIVERY.format(delivery));
            }
        };
    }

    /** The status for a resource of another organisation. Users without access to the page still get 403. */
    private static int notFound(int status) {
        return status == 403 ? 403 : 404;
    }

    private static String newPerson(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO users (organization_id, id, email, name, role, created_at)
                SELECT organization_id, ?, ?, 'Mary Jackson', 'member', now() FROM users WHERE id = ?
                """, id, id + "@acme.test", owner);
        return IdKind.USER.format(id);
    }

    private static String newTeam(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                WITH team AS (
                    INSERT INTO team (organization_id, id, name, created_at)
                    SELECT organization_id, ?, ?, now() FROM users WHERE id = ? RETURNING organization_id, id)
                INSERT INTO team_member (organization_id, team_id, user_id, role)
                SELECT organization_id, id, ?, 'lead' FROM team
                """, id, "Team " + id, owner, owner);
        return IdKind.TEAM.format(id);
    }

    /** @param delivery the id of the delivery to create */
    private static String newWebhook(UUID owner, UUID delivery) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO webhook (organization_id, id, url, events, active, secret_key_id, secret_ciphertext,
                    created_at, updated_at)
                SELECT organization_id, ?, 'https://example.com/', '{*}', false, 'k', '', now(), now()
                FROM users WHERE id = ?
                """, id, owner);
        TestDatabase.execute("""
                WITH event AS (
                    INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                    SELECT organization_id, ?, 'cycle.created', 'cyc_x', now(), '{}' FROM users WHERE id = ?
                    RETURNING organization_id, id)
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT organization_id, ?, ?, id, 'succeeded', 1, 0, false, now(), now() FROM event
                """, delivery, owner, delivery, id);
        return IdKind.WEBHOOK.format(id);
    }

    private static String newImport(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO import (organization_id, id, status, dry_run, notify, by_command, user_id, gzip, bytes,
                    created_at)
                SELECT organization_id, ?, 'failed', true, false, false, id, false, 0, now() FROM users WHERE id = ?
                """, id, owner);
        return IdKind.IMPORT.format(id);
    }

    private static UUID newKeyResult(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                WITH cycle AS (
                    INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
                    SELECT organization_id, ?, ?, '2099-01-01', '2099-04-01', 'planned', now(), now()
                    FROM users WHERE id = ? RETURNING organization_id, id),
                objective AS (
                    INSERT INTO objective (organization_id, id, cycle_id, owner_id, title, progress, status,
                        created_at, updated_at)
                    SELECT organization_id, ?, id, ?, 'Win', 0, 'not_started', now(), now() FROM cycle
                    RETURNING organization_id, id)
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value,
                    current_value, target_value, progress, owner_id, created_at, updated_at)
                SELECT organization_id, ?, id, 'Customers', 'number', 0, 0, 1, 0, ?, now(), now() FROM objective
                """, id, "Cycle " + id, owner, id, owner, id, owner);
        return id;
    }

    private static String newCheckIn(UUID owner, UUID keyResult) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, created_at, updated_at)
                SELECT organization_id, ?, ?, 0, id, now(), now() FROM users WHERE id = ?
                """, id, keyResult, owner);
        return IdKind.CHECK_IN.format(id);
    }

    private static String newAlignment(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO alignment (organization_id, id, parent_objective_id, child_objective_id, alignment_type,
                    created_at, updated_at)
                SELECT organization_id, ?, ?, ?, 'supports', now(), now() FROM users WHERE id = ?
                """, id, newKeyResult(owner), newKeyResult(owner), owner);
        return IdKind.ALIGNMENT.format(id);
    }

    static String newKey(UUID owner) {
        var id = UuidV7.at(Instant.now());
        TestDatabase.execute("""
                INSERT INTO api_key (organization_id, id, user_id, name, token_hash, scopes, created_at)
                SELECT organization_id, ?, id, 'test', sha256(?::text::bytea), '{read}', now() FROM users WHERE id = ?
                """, id, id, owner);
        return IdKind.API_KEY.format(id);
    }

    /** A copy of a browser that has signed in once. A sign-in takes longer than most pages. */
    private Browser browser(String email) {
        return browsers.computeIfAbsent(email, address -> Browser.signedIn(service, address))
                .copy();
    }

    private String deactivated() {
        var user = acme.user("Mary Jackson", "admin");
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", user.uuid());
        return user.email();
    }

    /** The number of rows that forms could have changed in the organisation. */
    private long changes() {
        return TestDatabase.count(
                "SELECT (SELECT count(*) FROM api_key WHERE organization_id = ? AND revoked_at IS NULL)"
                        + " + 1000 * (SELECT count(*) FROM audit_entry WHERE organization_id = ?)",
                acme.id(),
                acme.id());
    }

    private static String[] with(String[] fields, String name, String value) {
        var more = Arrays.copyOf(fields, fields.length + 2);
        more[fields.length] = name;
        more[fields.length + 1] = value;
        return more;
    }

    /** The routes of all pages. */
    static List<String> routes() throws IOException {
        try (var files = Files.walk(CLASSES)) {
            return files.map(file -> CLASSES.relativize(file).toString())
                    .filter(name -> name.endsWith("Resource.class"))
                    .map(name -> load(name.replace(".class", "").replace('/', '.')))
                    .filter(type -> type.isAnnotationPresent(Path.class)
                            && type.getAnnotation(Path.class).value().startsWith(ConsolePath.ROOT))
                    .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                    .flatMap(method -> route(method).stream())
                    .toList();
        }
    }

    private static Optional<String> route(Method method) {
        var path = method.getDeclaringClass().getAnnotation(Path.class).value()
                + (method.isAnnotationPresent(Path.class)
                        ? method.getAnnotation(Path.class).value()
                        : "");
        if (method.isAnnotationPresent(GET.class)) {
            return Optional.of("GET " + path);
        }
        return method.isAnnotationPresent(POST.class) ? Optional.of("POST " + path) : Optional.empty();
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
