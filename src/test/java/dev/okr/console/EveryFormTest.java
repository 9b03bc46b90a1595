package dev.okr.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization.TestUser;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Every form of the console, sent by people who may not use it. A form that is not listed here fails a test. */
@QuarkusTest
class EveryFormTest extends HttpTest {
    private static final String IMPORTS = "/settings/data/imports";
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    /** Forms that this test does not send, with the reason. */
    private static final Map<String, String> NOT_SENT = Map.of(
            "/settings/sign-out", "It ends only the session of the person who sends it.",
            "/settings/trial", "It exists only in a trial.");

    /** Viewers have API keys of their own. These keys can do what the viewer can do. */
    private static final String KEYS_OF_EVERYBODY = "/settings/api-keys";

    /** Forms that name no resource. They create something in the organisation of the person who sends them. */
    private static final Set<String> NAME_NOTHING = Set.of(
            "/settings/cycles",
            "/settings/api-keys",
            "/settings/people",
            "/settings/teams",
            "/settings/webhooks",
            IMPORTS);

    /** Forms that change nothing below the cycle. */
    private static final Set<String> ALLOWED_WHEN_CLOSED =
            Set.of("/settings/cycles", "/settings/cycles/{id}/close", "/settings/cycles/{id}/reopen");

    /** The rows that a form can change. Every change of a webhook or an import has an audit entry or a row. */
    private static final String STATE = Stream.of(
                            "users",
                            "api_key",
                            "team",
                            "team_member",
                            "cycle",
                            "objective",
                            "key_result",
                            "key_result_value",
                            "check_in",
                            "alignment",
                            "deleted_objective",
                            "audit_entry")
                    .map(table ->
                            "coalesce((SELECT bit_xor(hashtextextended((to_jsonb(t) - 'last_used_at')::text, 0)) FROM "
                                    + table + " t WHERE t.organization_id = ?), 0)")
                    .collect(Collectors.joining(" # ", "SELECT ", ""))
            + " # (SELECT count(*) FROM event WHERE organization_id = ?)"
            + " # (1000 * (SELECT count(*) FROM import WHERE organization_id = ?))";

    private static final int PARAMETERS =
            (int) STATE.chars().filter(each -> each == '?').count();

    /**
     * A form with valid fields.
     *
     * @param route the path of its resource
     */
    private record Sent(String route, String path, String... fields) {
        Browser.Page by(Session session) {
            if (path.equals(IMPORTS)) {
                return session.browser.postBody(
                        path, "application/x-ndjson", fields[0], "X-Okr-Form-Token", session.token);
            }
            var all = Stream.concat(Stream.of("form_token", session.token), Stream.of(fields));
            return session.browser.postOnly(path, all.toArray(String[]::new));
        }
    }

    private final Map<String, Session> sessions = new HashMap<>();

    private record Session(Browser browser, String token) {}

    /** Resources of a completed cycle, and an alignment to an objective of another cycle. */
    private record Content(
            String cycle,
            String other,
            String objective,
            String sibling,
            String deleted,
            String keyResult,
            String secondKeyResult,
            String booleanKeyResult,
            String checkIn,
            String alignment) {}

    @Test
    void every_form_is_listed() throws IOException {
        var content = newContent();
        var known = Stream.concat(formsOfPeople().stream(), formsOfContent(content).stream())
                .map(Sent::route)
                .collect(Collectors.toSet());
        known.addAll(NOT_SENT.keySet());
        assertThat(known.stream().map(route -> "POST " + route))
                .containsExactlyInAnyOrderElementsOf(ConsoleAccessTest.routes().stream()
                        .filter(route -> route.startsWith("POST "))
                        .toList());
    }

    /** The admin sends each form too, which shows that it is valid. */
    @Test
    void nobody_without_permission_changes_anything_by_a_form() {
        var content = newContent();
        var forms = new ArrayList<>(formsOfContent(content));
        forms.addAll(formsOfPeople());
        var viewer = session(acme.viewerUser());
        var stranger = session(organization().adminUser());
        var owner = session(acme.adminUser());
        var results = new SoftAssertions();
        for (var form : forms) {
            long before = state();
            if (!form.route.equals(KEYS_OF_EVERYBODY)) {
                // A viewer does not find the key of somebody else.
                int expected = form.route.startsWith(KEYS_OF_EVERYBODY) ? 404 : 403;
                results.assertThat(form.by(viewer).status())
                        .as("viewer, " + form.route)
                        .isEqualTo(expected);
            }
            if (!NAME_NOTHING.contains(form.route)) {
                // The id of the cycle is a field of the form, so the form is shown again.
                results.assertThat(form.by(stranger).status())
                        .as("other organisation, " + form.route)
                        .isEqualTo(form.route.equals("/settings/objectives") ? 422 : 404);
            }
            results.assertThat(state()).as("changed by " + form.route).isEqualTo(before);
            var page = form.by(owner);
            results.assertThat(page.status()).as("admin, " + form.route).isIn(200, 303);
            results.assertThat(state())
                    .as("not changed by admin, " + form.route)
                    .isNotEqualTo(before);
        }
        results.assertAll();
    }

    @Test
    void no_form_changes_anything_below_a_closed_cycle() {
        var content = newContent();
        var forms = formsOfContent(content);
        admin.post("/v1/cycles/" + content.cycle + "/close", null).is(200);
        var owner = session(acme.adminUser());
        var results = new SoftAssertions();
        long before = state();
        for (var form : forms) {
            if (!ALLOWED_WHEN_CLOSED.contains(form.route)) {
                var page = form.by(owner);
                results.assertThat(page.status()).as(form.route).isEqualTo(409);
                results.assertThat(page.html()).as(form.route).contains("closed");
                results.assertThat(state()).as("changed by " + form.route).isEqualTo(before);
            }
        }
        results.assertAll();
    }

    @Test
    void every_deletion_asks_first_in_the_same_way() {
        var deletions = Stream.concat(formsOfContent(newContent()).stream(), formsOfPeople().stream())
                .filter(form -> form.route.matches(".*/(delete|remove|revoke|deactivate)"))
                .toList();
        assertThat(deletions).hasSize(8);
        for (var form : deletions) {
            var query = form.fields.length == 0 ? "" : "?" + form.fields[0] + '=' + form.fields[1];
            admin().get(form.path + query)
                    .is(200)
                    .shows("?</h1>", "action=\"" + form.path, "<button class=\"danger\">", ">Cancel</a>");
        }
    }

    private Content newContent() {
        var cycle = newCompletedCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var other = newCycle();
        var deleted = newObjective(cycle);
        member.delete(Paths.objective(deleted)).is(200);
        return new Content(
                cycle,
                other,
                objective,
                newObjective(cycle),
                deleted,
                keyResult,
                newKeyResult(objective, 0, 10),
                newBooleanKeyResult(objective),
                newCheckIn(keyResult, 5),
                newAlignment(newObjective(other), objective));
    }

    /** The forms that change objectives, what they contain, and cycles. They can be sent in this order. */
    private List<Sent> formsOfContent(Content content) {
        var keyResult = "/settings/key-results/" + content.keyResult;
        var second = "/settings/key-results/" + content.secondKeyResult;
        var checkIn = keyResult + "/check-ins/" + content.checkIn;
        var objective = "/settings/objectives/" + content.objective;
        var alignment = "/settings/alignments/" + content.alignment;
        var cycle = "/settings/cycles/" + content.cycle;
        return List.of(
                new Sent(
                        "/settings/week/{id}",
                        "/settings/week/" + content.keyResult,
                        "id",
                        newId(IdKind.CHECK_IN),
                        "seen",
                        seen(keyResult),
                        "value",
                        "6"),
                new Sent(
                        "/settings/objectives/{id}/check-ins/{keyResultId}",
                        "/settings/objectives/" + content.objective + "/check-ins/" + content.booleanKeyResult,
                        "id",
                        newId(IdKind.CHECK_IN),
                        "seen",
                        seen("/settings/key-results/" + content.booleanKeyResult),
                        "value",
                        "1"),
                new Sent(
                        "/settings/key-results/{id}/check-ins",
                        second + "/check-ins",
                        "id",
                        newId(IdKind.CHECK_IN),
                        "seen",
                        seen(second),
                        "value",
                        "6"),
                new Sent(
                        "/settings/key-results/{id}/check-ins/{checkInId}/edit",
                        checkIn + "/edit",
                        "note",
                        "Corrected"),
                new Sent("/settings/key-results/{id}/check-ins/{checkInId}/delete", checkIn + "/delete"),
                new Sent(
                        "/settings/key-results",
                        "/settings/key-results",
                        "id",
                        newId(IdKind.KEY_RESULT),
                        "objective",
                        content.objective,
                        "title",
                        "Customers",
                        "metric_type",
                        "number",
                        "start_value",
                        "0",
                        "target_value",
                        "10"),
                new Sent("/settings/key-results/{id}/edit", keyResult + "/edit", "title", "Changed"),
                new Sent("/settings/key-results/{id}/delete", keyResult + "/delete"),
                new Sent(
                        "/settings/objectives",
                        "/settings/objectives",
                        "id",
                        newId(IdKind.OBJECTIVE),
                        "title",
                        "Win trust",
                        "cycle_id",
                        content.cycle),
                new Sent("/settings/objectives/{id}/edit", objective + "/edit", "title", "Changed"),
                new Sent(
                        "/settings/objectives/{id}/edit",
                        objective + "/edit",
                        "status",
                        "at_risk",
                        "was_status",
                        "not_started"),
                new Sent(
                        "/settings/alignments",
                        "/settings/alignments",
                        "objective",
                        content.objective,
                        "other",
                        content.sibling,
                        "position",
                        "below",
                        "alignment_type",
                        "supports"),
                new Sent(
                        "/settings/alignments/{id}/weight",
                        alignment + "/weight",
                        "objective",
                        content.objective,
                        "weight",
                        "2"),
                new Sent("/settings/alignments/{id}/delete", alignment + "/delete", "objective", content.objective),
                new Sent(
                        "/settings/cycles/{id}/scores/{objectiveId}",
                        cycle + "/scores/" + content.objective,
                        "score",
                        "0.5"),
                new Sent("/settings/objectives/{id}/delete", objective + "/delete"),
                new Sent(
                        "/settings/deleted-objectives/{id}/restore",
                        "/settings/deleted-objectives/" + content.deleted + "/restore"),
                new Sent(
                        "/settings/cycles",
                        "/settings/cycles",
                        "id",
                        newId(IdKind.CYCLE),
                        "name",
                        "Q2 2098",
                        "starts_at",
                        "2098-04-01",
                        "ends_at",
                        "2098-06-30"),
                new Sent("/settings/cycles/{id}/edit", cycle + "/edit", "starts_at", "2020-01-01"),
                new Sent(
                        "/settings/cycles/{id}/carry-over",
                        "/settings/cycles/" + content.other + "/carry-over",
                        "to",
                        content.cycle,
                        "values",
                        "keep",
                        "which",
                        "all"),
                new Sent("/settings/cycles/{id}/close", cycle + "/close"),
                new Sent("/settings/cycles/{id}/reopen", cycle + "/reopen"));
    }

    /** The forms that change people, teams, API keys, webhooks and imports. They can be sent in this order. */
    private List<Sent> formsOfPeople() {
        var mary = acme.user("Mary Jackson", "member");
        var person = "/settings/people/" + mary.id();
        var growth = acme.team("Growth");
        acme.join(growth, acme.memberUser(), "member");
        var team = "/settings/teams/" + growth.id();
        var member = team + "/members/" + acme.memberUser().id();
        var keys = "/settings/api-keys/";
        var ownKey = ConsoleAccessTest.newKey(acme.adminUser().uuid());
        var webhook = newWebhook();
        var path = "/settings/webhooks/" + webhook;
        var edited = "/settings/webhooks/" + newWebhook();
        var rotated = "/settings/webhooks/" + newWebhook();
        var deleted = "/settings/webhooks/" + newWebhook();
        return List.of(
                new Sent(
                        "/settings/api-keys",
                        "/settings/api-keys",
                        "id",
                        newId(IdKind.API_KEY),
                        "name",
                        "Robot",
                        "scopes",
                        "read",
                        "expires",
                        "days_30"),
                new Sent("/settings/api-keys/{id}/rotate", keys + ownKey + "/rotate", "overlap", "day"),
                new Sent("/settings/api-keys/{id}/revoke", keys + ownKey + "/revoke"),
                new Sent(
                        "/settings/people",
                        "/settings/people",
                        "name",
                        "Dorothy Vaughan",
                        "email",
                        "dorothy." + mary.email(),
                        "role",
                        "member"),
                new Sent("/settings/people/{id}/role", person + "/role", "role", "viewer"),
                new Sent("/settings/people/{id}/deactivate", person + "/deactivate"),
                new Sent("/settings/people/{id}/reactivate", person + "/reactivate"),
                new Sent("/settings/teams", "/settings/teams", "name", "Platform"),
                new Sent("/settings/teams/{id}/rename", team + "/rename", "name", "Sales"),
                new Sent("/settings/teams/{id}/members", team + "/members", "user", mary.id(), "role", "lead"),
                new Sent("/settings/teams/{id}/members/{userId}/role", member + "/role", "role", "lead"),
                new Sent("/settings/teams/{id}/members/{userId}/remove", member + "/remove"),
                new Sent(
                        "/settings/webhooks",
                        "/settings/webhooks",
                        "id",
                        newId(IdKind.WEBHOOK),
                        "url",
                        "http://127.0.0.1:9/new",
                        "events",
                        "cycle.created"),
                new Sent(
                        "/settings/webhooks/{id}/edit",
                        edited + "/edit",
                        "version",
                        version(edited),
                        "url",
                        "http://127.0.0.1:9/changed",
                        "events",
                        "cycle.created"),
                new Sent(
                        "/settings/webhooks/{id}/rotate-secret",
                        rotated + "/rotate-secret",
                        "version",
                        version(rotated)),
                new Sent("/settings/webhooks/{id}/delete", deleted + "/delete"),
                new Sent("/settings/webhooks/{id}/ping", path + "/ping"),
                new Sent(
                        "/settings/webhooks/{id}/deliveries/{deliveryId}/redeliver",
                        path + "/deliveries/" + newDelivery(webhook) + "/redeliver"),
                new Sent(
                        "/settings/webhooks/{id}/recover",
                        path + "/recover",
                        "since",
                        Moment.local(Instant.now().minus(Duration.ofHours(1)))),
                new Sent("/settings/webhooks/{id}/pause", path + "/pause"),
                new Sent("/settings/webhooks/{id}/resume", path + "/resume"),
                new Sent(IMPORTS, IMPORTS, line("Second")),
                new Sent("/settings/data/imports/{id}/start", IMPORTS + '/' + newDryRun() + "/start"));
    }

    private static String newId(IdKind kind) {
        return kind.format(UuidV7.at(Instant.now()));
    }

    /** The version of a key result that its page shows. */
    private String seen(String keyResult) {
        return admin().get(keyResult).is(200).find("name=\"seen\" value=\"([^\"]*)\"");
    }

    private String version(String webhook) {
        return admin().get(webhook + "/edit").is(200).find("name=\"version\" value=\"([^\"]*)\"");
    }

    private Browser admin() {
        return session(acme.adminUser()).browser;
    }

    private static String line(String cycle) {
        return """
                {"type": "cycle", "data": {"id": "q1", "name": "%s", "starts_at": "2097-01-01T00:00:00Z", \
                "ends_at": "2097-04-01T00:00:00Z"}}
                """.formatted(cycle);
    }

    /** A file that was checked and can be imported. */
    private String newDryRun() {
        var id = admin.header("Content-Type", "application/x-ndjson")
                .post("/v1/imports?dry_run=true", line("First"))
                .is(202)
                .id();
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!admin.get("/v1/imports/" + id).text("status").equals("succeeded")) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        return id;
    }

    private Session session(TestUser user) {
        return sessions.computeIfAbsent(user.email(), email -> {
            var browser = Browser.signedIn(service, email);
            return new Session(browser, browser.get("/settings/week").is(200).formToken());
        });
    }

    /** A number that differs after every change in the organisation. */
    private long state() {
        var parameters = new Object[PARAMETERS];
        Arrays.fill(parameters, acme.id());
        return TestDatabase.count(STATE, parameters);
    }
}
