package dev.okr.console.week;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The start page is opened often, so it has few statements and is small. */
@QuarkusTest
class WeekStatementsTest extends HttpTest {
    private static final Logger STATEMENTS = Logger.getLogger("dev.okr.statements");
    private static final int MAX_STATEMENTS = 5;
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
    void the_start_page_has_few_statements_and_is_small() {
        var now = Instant.now();
        var cycle = admin.post(
                        "/v1/cycles",
                        Map.of(
                                "name",
                                "Now",
                                "starts_at",
                                now.minus(Duration.ofDays(30)).toString(),
                                "ends_at",
                                now.plus(Duration.ofDays(60)).toString()))
                .is(201)
                .id();
        // The scheduled job would do this within a minute.
        TestDatabase.execute("UPDATE cycle SET status = 'active' WHERE organization_id = ?", acme.id());
        for (int i = 0; i < 3; i++) {
            var objective = newObjective(cycle);
            newKeyResult(objective, 0, 10);
            newKeyResult(objective, 0, 10);
        }
        var browser = Browser.signedIn(service, acme.memberUser().email());

        records.clear();
        var page = browser.getOnly("/settings/week").is(200).shows("6 key results");
        long thread = records.stream()
                .filter(each -> each.getMessage().contains("ended_session"))
                .findFirst()
                .orElseThrow()
                .getLongThreadID();
        var statements = records.stream()
                .filter(each -> each.getLongThreadID() == thread)
                .map(LogRecord::getMessage)
                .toList();
        assertThat(statements).hasSizeBetween(1, MAX_STATEMENTS);

        int bytes = page.response().body().length;
        assertThat(bytes).isLessThan(MAX_PAGE_BYTES);
        for (var asset : List.of("href=\"(/settings/assets/[^\"]+)\"", "src=\"(/settings/assets/[^\"]+)\"")) {
            bytes += browser.getOnly(page.find(asset)).is(200).response().body().length;
        }
        assertThat(bytes).isLessThan(MAX_FIRST_LOAD_BYTES);
    }
}
