package dev.okr.console.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RecordedStatements;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pages have few statements and are small. */
@QuarkusTest
class ObjectiveStatementsTest extends HttpTest {

    /** Without the two that find the user of the session. */
    private static final int MAX_STATEMENTS = 5;

    private static final int MAX_FIRST_LOAD_BYTES = 60 * 1024;
    private static final int MAX_PAGE_BYTES = 20 * 1024;

    private RecordedStatements recorded;

    @BeforeEach
    void record() {
        recorded = new RecordedStatements();
    }

    @AfterEach
    void stop() {
        recorded.close();
    }

    @Test
    void every_page_has_few_statements_and_is_small() {
        var dates = Requests.with(
                Requests.uniqueCycle(),
                "starts_at",
                Instant.now().minus(Duration.ofDays(30)).toString(),
                "ends_at",
                Instant.now().plus(Duration.ofDays(60)).toString());
        var cycle = admin.post("/v1/cycles", dates).is(201).id();
        var parent = newObjective(cycle);
        var objective = newObjective(cycle);
        var child = newObjective(cycle);
        for (var alignment : List.of(Requests.alignment(parent, objective), Requests.alignment(objective, child))) {
            member.post("/v1/alignments", Requests.with(alignment, "alignment_type", "contributes_to"))
                    .is(201);
        }
        var keyResult = newKeyResult(objective, 0, 10);
        newKeyResult(objective, 0, 20);
        newKeyResult(child, 0, 20);
        for (int i = 0; i < 8; i++) {
            newCheckIn(keyResult, i);
        }
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        var webhook = newWebhook();
        var delivery = newDelivery(webhook);
        var person = "/settings/people/" + acme.memberUser().id();
        var browser = Browser.signedIn(service, acme.adminUser().email());
        for (var path : List.of(
                "/settings/overview?cycle=" + cycle,
                "/settings/overview/objectives?cycle=" + cycle,
                "/settings/overview/objectives?view=tree&cycle=" + cycle,
                "/settings/objectives/" + objective,
                "/settings/objectives/" + objective + "/edit",
                "/settings/objectives/" + objective + "/changes",
                "/settings/objectives/new",
                "/settings/key-results/" + keyResult,
                "/settings/alignments?objective=" + objective,
                "/settings/deleted-objectives",
                "/settings/cycles/" + cycle,
                "/settings/cycles/" + cycle + "/edit",
                "/settings/cycles/" + cycle + "/carry-over",
                "/settings/people",
                person,
                person + "/deactivate",
                "/settings/teams",
                "/settings/teams/" + team.id(),
                "/settings/teams/" + team.id() + "/objectives",
                "/settings/teams/" + team.id() + "/members/new",
                "/settings/api-keys",
                "/settings/webhooks",
                "/settings/webhooks/" + webhook,
                "/settings/webhooks/" + webhook + "/deliveries/" + delivery,
                "/settings/audit",
                "/settings/data")) {
            recorded.clear();
            var page = browser.getOnly(path).is(200);
            assertThat(statements()).as(path).hasSizeBetween(1, MAX_STATEMENTS);
            assertThat(page.bytes()).as(path).isLessThan(MAX_PAGE_BYTES);
            assertThat(browser.bytesOfFirstLoad(page)).as(path).isLessThan(MAX_FIRST_LOAD_BYTES);
        }
    }

    /** The statements of the request, without the lookup of the user and the settings of transactions. */
    private List<String> statements() {
        return recorded.ofRequestWith("ended_session").stream()
                .filter(each -> !each.startsWith("SET ")
                        && !each.contains("ended_session")
                        && !each.contains("/* all organizations */"))
                .toList();
    }
}
