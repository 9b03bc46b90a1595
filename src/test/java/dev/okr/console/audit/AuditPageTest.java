package dev.okr.console.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
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
        assertThat(stranger.getOnly(AUDIT + "/csv").is(200).html().lines()).hasSize(1);
        stranger.get(AUDIT + "?before=ffffffff-ffff-7fff-bfff-ffffffffffff")
                .is(200)
                .hides("secret team");
    }

    @Test
    void entries_are_filtered_by_action_person_and_day() {
        var mary = acme.user("Mary Ann Jackson", "admin");
        var team =
                admin.post("/v1/teams", Json.object("name", "Growth")).is(201).id();
        mary.api().put("/v1/teams/" + team, Json.object("name", "Growth & Co")).is(200);
        newWebhook();
        record("Old team", "2020-02-29T23:59:59Z");

        filtered("what=team").shows("Growth &amp; Co", "Old team").hides("127.0.0.1");
        filtered("what=team_renamed")
                .shows("name from “Growth” to “Growth &amp; Co”", "selected")
                .hides("<b>Growth</b>");
        filtered("what=webhook").shows("127.0.0.1", "events alignment.deleted").hides("Growth");
        filtered("who=mary").shows("Growth &amp; Co").hides("127.0.0.1", "Old team");
        filtered("who=" + mary.email() + "&what=webhook").shows("There are no entries that match.");
        filtered("who=nobody").shows("There are no entries that match.");
        filtered("from=2020-02-29&to=2020-02-29").shows("Old team").hides("Growth");
        filtered("to=2020-02-28").shows("There are no entries that match.");
        filtered("from=2020-03-01").shows("Growth").hides("Old team");
        for (var wrong : new String[] {"what=nothing", "what=cycle", "from=yesterday", "to=2021-02-29", "from=%00"}) {
            admin().get(AUDIT + '?' + wrong).is(400);
        }
        filtered("who=%00").shows("There are no entries that match.");
    }

    @Test
    void the_next_page_has_the_same_filters() {
        for (int i = 1; i <= 30; i++) {
            record("team " + i);
            newWebhook();
        }
        var older = filtered("what=team_renamed")
                .find("rel=\"next\" href=\"([^\"]+)\"")
                .replace("&amp;", "&");
        admin().get(older).is(200).shows("team 5<", "team 1<").hides("team 6<", "127.0.0.1");
    }

    @Test
    void the_log_is_exported_as_csv() {
        var team = admin.post("/v1/teams", Json.object("name", "=HYPERLINK(\"x\")"))
                .is(201)
                .id();
        admin.put("/v1/teams/" + team, Json.object("name", "Zoë, Inc.")).is(200);
        record("Old team", "2020-02-29T23:59:59Z");

        var page = filtered("what=team");
        var export = admin().getOnly(page.find("href=\"(/settings/audit/csv[^\"]*)\""))
                .is(200);
        assertThat(export.header("Content-Type")).isEqualTo("text/csv;charset=UTF-8;header=present");
        assertThat(export.header("Content-Disposition"))
                .matches("attachment; filename=\"audit-log-\\d{4}-\\d{2}-\\d{2}\\.csv\"");
        var admin = acme.adminUser().id();
        var lines = export.html().split("\r\n");
        assertThat(lines).hasSize(4);
        assertThat(lines[0]).isEqualTo("time,actor_type,actor_id,actor,action,subject_id,subject,detail");
        assertThat(lines[1])
                .matches("\\d{4}-.*Z,user," + admin + ",Ada Lovelace,team_renamed," + team + ",\"Zoë, Inc\\.\","
                        + "\"name from “=HYPERLINK\\(\"\"x\"\"\\)” to “Zoë, Inc\\.”\"");
        assertThat(lines[2]).endsWith(",team_created," + team + ",\"'=HYPERLINK(\"\"x\"\")\",");
        assertThat(lines[3]).isEqualTo("2020-02-29T23:59:59Z,service,,The service,team_renamed,team_x,Old team,");

        assertThat(admin().getOnly(AUDIT + "/csv?to=2020-03-01").is(200).html().split("\r\n"))
                .hasSize(2);
        admin().getOnly(AUDIT + "/csv?from=x").is(400).shows("Invalid request");
    }

    @Test
    void a_long_log_is_exported_whole() {
        TestDatabase.execute("""
                INSERT INTO audit_entry (organization_id, id, actor, action, subject_id, subject_name, created_at)
                SELECT ?, uuid_v7(now() - n * interval '1 second'), 'service', 'team_renamed', 'team_x', 'team ' || n,
                    now() - n * interval '1 second'
                FROM generate_series(1, 20001) n
                """, acme.id());
        var lines =
                admin().getOnly(AUDIT + "/csv").is(200).html().lines().skip(1).toList();
        assertThat(lines).hasSize(20_001).doesNotHaveDuplicates();
        assertThat(lines.getFirst()).endsWith(",team 1,");
        assertThat(lines.getLast()).endsWith(",team 20001,");
        // The first export has ended, so another one can start.
        admin().getOnly(AUDIT + "/csv?to=2020-01-01").is(200);
    }

    private Browser admin() {
        return Browser.signedIn(service, acme.adminUser().email());
    }

    private Browser.Page filtered(String filters) {
        return admin().get(AUDIT + '?' + filters).is(200);
    }

    private void record(String name) {
        record(name, Instant.now().toString());
    }

    private void record(String name, String time) {
        TestDatabase.execute("""
                INSERT INTO audit_entry (organization_id, id, actor, action, subject_id, subject_name, created_at)
                VALUES (?, uuid_v7(?::text::timestamptz), 'service', 'team_renamed', 'team_x', ?, ?::text::timestamptz)
                """, acme.id(), time, name, time);
    }
}
