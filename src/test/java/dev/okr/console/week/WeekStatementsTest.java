package dev.okr.console.week;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.RecordedStatements;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The start page is opened often, so it has few statements and is small. */
@QuarkusTest
class WeekStatementsTest extends HttpTest {
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

        recorded.clear();
        var page = browser.getOnly("/settings/week").is(200).shows("6 key results");
        assertThat(recorded.ofRequestWith("ended_session")).hasSizeBetween(1, MAX_STATEMENTS);
        assertThat(page.bytes()).isLessThan(MAX_PAGE_BYTES);
        assertThat(browser.bytesOfFirstLoad(page)).isLessThan(MAX_FIRST_LOAD_BYTES);
    }
}
