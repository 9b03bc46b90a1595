package dev.okr.console.audit;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class AuditPageTest extends HttpTest {
    private static final String AUDIT = "/settings/audit";

    @Test
    void older_entries_are_on_the_next_pages() {
        for (int i = 1; i <= 30; i++) {
            record("team " + i);
        }
        var browser = Browser.signedIn(service, acme.adminUser().email());
        var older = browser.get(AUDIT)
                .is(200)
                .shows("team 30<", "team 6<")
                .hides("team 5<")
                .find("href=\"(" + AUDIT + "\\?[^\"]+)\"");
        browser.get(older).is(200).shows("team 5<", "team 1<").hides("team 6<", "Older");
        browser.get(AUDIT + "?before=nonsense").is(400).shows("This position in the audit log does not exist.");
    }

    @Test
    void the_log_of_another_organisation_is_not_readable() {
        record("secret team");
        var stranger = Browser.signedIn(service, organization().adminUser().email());
        stranger.get(AUDIT + "?before=ffffffff-ffff-7fff-bfff-ffffffffffff")
                .is(200)
                .hides("secret team");
    }

    private void record(String name) {
        TestDatabase.execute("""
                INSERT INTO audit_entry (organization_id, id, actor, action, subject_id, subject_name, created_at)
                VALUES (?, uuid_v7(clock_timestamp()), 'service', 'team_renamed', 'team_x', ?, clock_timestamp())
                """, acme.id(), name);
    }
}
