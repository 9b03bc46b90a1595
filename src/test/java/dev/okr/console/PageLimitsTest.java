package dev.okr.console;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RecordedStatements;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/** Every page has few statements and is small. The test fails for a page that is not listed here. */
@QuarkusTest
class PageLimitsTest extends HttpTest {
    /** Excludes the statements that find the user of the session, and the settings of transactions. */
    private static final int MAX_STATEMENTS = 5;

    private static final int MAX_FIRST_LOAD_BYTES = 60 * 1024;
    private static final int MAX_PAGE_BYTES = 20 * 1024;

    /** Redirects, downloads and sign-in pages. */
    private static final Set<String> NOT_MEASURED = Set.of(
            "/settings",
            "/settings/signed-in",
            "/settings/sign-in-again",
            "/settings/sign-out",
            "/settings/signed-out",
            "/settings/sign-in-failed",
            "/settings/trial",
            "/settings/assets/{hash}/{name}",
            "/settings/overview/objectives.csv",
            "/settings/data/export",
            "/settings/audit/csv");

    @Test
    void every_page_has_few_statements_and_is_small() throws IOException {
        var browser = Browser.signedIn(service, acme.adminUser().email());
        var routes = new HashSet<>(ConsoleAccessTest.routes().stream()
                .filter(route -> route.startsWith("GET "))
                .map(route -> route.substring("GET ".length()))
                .toList());
        routes.removeAll(NOT_MEASURED);
        var results = new SoftAssertions();
        try (var recorded = new RecordedStatements()) {
            for (var path : paths()) {
                recorded.clear();
                var page = browser.getOnly(path).is(200);
                results.assertThat(statements(recorded)).as(path).hasSizeLessThanOrEqualTo(MAX_STATEMENTS);
                results.assertThat(page.bytes()).as(path).isLessThan(MAX_PAGE_BYTES);
                results.assertThat(browser.bytesOfFirstLoad(page)).as(path).isLessThan(MAX_FIRST_LOAD_BYTES);
                var address = path.replaceFirst("\\?.*", "");
                routes.removeIf(route -> address.matches(route.replaceAll("\\{\\w+}", "[a-z]+_[0-9a-z]+")));
            }
        }
        results.assertThat(routes).as("pages that were not measured").isEmpty();
        results.assertAll();
    }

    private List<String> paths() {
        var cycle = newActiveCycle();
        var parent = newObjective(cycle);
        var objective = newObjective(cycle);
        var child = newObjective(cycle);
        var above = newContribution(parent, objective);
        newContribution(objective, child);
        var keyResult = newKeyResult(objective, 0, 10);
        newKeyResult(objective, 0, 20);
        newKeyResult(child, 0, 20);
        for (int i = 0; i < 8; i++) {
            newCheckIn(keyResult, i);
        }
        var checkIn = newCheckIn(keyResult, 8);
        var ofAdmin =
                admin.post("/v1/objectives", Requests.objective(cycle)).is(201).id();
        for (int i = 0; i < 6; i++) {
            admin.post("/v1/objectives/" + ofAdmin + "/key-results", Requests.keyResult(0, 10))
                    .is(201);
        }
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        var webhook = newWebhook();
        var objectives = "/settings/objectives/";
        var keyResults = "/settings/key-results/" + keyResult;
        var cycles = "/settings/cycles/" + cycle;
        var teams = "/settings/teams/" + team.id();
        var people = "/settings/people/" + acme.memberUser().id();
        var keys = "/settings/api-keys/"
                + ConsoleAccessTest.newKey(acme.adminUser().uuid());
        var webhooks = "/settings/webhooks/" + webhook;
        return List.of(
                "/settings/week",
                "/settings/menu",
                "/settings/overview?cycle=" + cycle,
                "/settings/overview/objectives?cycle=" + cycle,
                "/settings/overview/objectives?view=tree&cycle=" + cycle,
                objectives + "new",
                objectives + objective,
                objectives + objective + "/edit",
                objectives + objective + "/delete",
                objectives + objective + "/changes",
                "/settings/deleted-objectives",
                "/settings/key-results/new?objective=" + objective,
                keyResults,
                keyResults + "/edit",
                keyResults + "/delete",
                keyResults + "/check-ins/" + checkIn + "/edit",
                keyResults + "/check-ins/" + checkIn + "/delete",
                "/settings/alignments?objective=" + objective,
                "/settings/alignments/" + above + "/delete?objective=" + objective,
                "/settings/cycles/new",
                cycles,
                cycles + "/edit",
                cycles + "/carry-over",
                "/settings/people",
                "/settings/people/new",
                people,
                people + "/deactivate",
                "/settings/teams",
                "/settings/teams/new",
                teams,
                teams + "/objectives",
                teams + "/rename",
                teams + "/members/new",
                teams + "/members/" + IdKind.USER.format(acme.memberUser().uuid()) + "/remove",
                "/settings/api-keys",
                "/settings/api-keys/new",
                keys + "/rotate",
                keys + "/revoke",
                "/settings/webhooks",
                "/settings/webhooks/new",
                webhooks,
                webhooks + "/edit",
                webhooks + "/rotate-secret",
                webhooks + "/recover",
                webhooks + "/delete",
                webhooks + "/deliveries/" + newDelivery(webhook),
                "/settings/audit",
                "/settings/data",
                "/settings/data/imports/" + newImport());
    }

    private String newActiveCycle() {
        var now = Instant.now();
        var dates = Requests.with(
                Requests.uniqueCycle(),
                "starts_at",
                now.minus(Duration.ofDays(30)).toString(),
                "ends_at",
                now.plus(Duration.ofDays(60)).toString());
        var id = admin.post("/v1/cycles", dates).is(201).id();
        // The scheduled job would do this within a minute.
        TestDatabase.execute("UPDATE cycle SET status = 'active' WHERE organization_id = ?", acme.id());
        return id;
    }

    private String newContribution(String parent, String child) {
        var alignment = Requests.with(Requests.alignment(parent, child), "alignment_type", "contributes_to");
        return member.post("/v1/alignments", alignment).is(201).id();
    }

    /** The statements of the request, without the lookup of the user and the settings of transactions. */
    private static List<String> statements(RecordedStatements recorded) {
        return recorded.ofRequestWith("ended_session").stream()
                .filter(each -> !each.startsWith("SET ")
                        && !each.contains("ended_session")
                        && !each.contains("/* all organizations */"))
                .toList();
    }
}
