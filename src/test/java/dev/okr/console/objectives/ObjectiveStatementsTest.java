package dev.okr.console.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pages of cycles and objectives have few statements and are small. */
@QuarkusTest
class ObjectiveStatementsTest extends HttpTest {
    private static final Logger STATEMENTS = Logger.getLogger("dev.okr.statements");

    /** Without the two that find the user of the session. */
    private static final int MAX_STATEMENTS = 5;

    /** The past progress of a cycle, with the objectives that contribute, needs four. */
    private static final int MAX_OVERVIEW_STATEMENTS = 8;

    private static final int MAX_FIRST_LOAD_BYTES = 60 * 1024;
    private static final int MAX_PAGE_BYTES = 20 * 1024;

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord statement) {
            statement.getLongThreadID();
            records.add(statement);
        }

        @Override
        public void flush() {
            // Nothing is buffered.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    @BeforeEach
    void record() {
        handler.setLevel(Level.ALL);
        STATEMENTS.setLevel(Level.FINE);
        STATEMENTS.addHandler(handler);
    }

    @AfterEach
    void stop() {
        STATEMENTS.removeHandler(handler);
        STATEMENTS.setLevel(null);
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
                "/settings/cycles/" + cycle + "/carry-over")) {
            records.clear();
            var page = browser.getOnly(path).is(200);
            int max = path.startsWith("/settings/overview?") ? MAX_OVERVIEW_STATEMENTS : MAX_STATEMENTS;
            assertThat(statements()).as(path).hasSizeBetween(1, max);
            int bytes = page.response().body().length;
            assertThat(bytes).as(path).isLessThan(MAX_PAGE_BYTES);
            for (var asset : List.of("href=\"(/settings/assets/[^\"]+)\"", "src=\"(/settings/assets/[^\"]+)\"")) {
                bytes += browser.getOnly(page.find(asset)).is(200).response().body().length;
            }
            assertThat(bytes).as(path).isLessThan(MAX_FIRST_LOAD_BYTES);
        }
    }

    /** The statements of the request, without the lookup of the user and the settings of transactions. */
    private List<String> statements() {
        long thread = records.stream()
                .filter(each -> each.getMessage().contains("ended_session"))
                .findFirst()
                .orElseThrow()
                .getLongThreadID();
        return records.stream()
                .filter(each -> each.getLongThreadID() == thread)
                .map(LogRecord::getMessage)
                .filter(each -> !each.startsWith("SET ")
                        && !each.contains("ended_session")
                        && !each.contains("/* all organizations */"))
                .toList();
    }
}
