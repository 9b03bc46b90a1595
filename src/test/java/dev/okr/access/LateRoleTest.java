package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Requests that wait for a lock while their user loses the role. Roles are read again under the lock. */
@QuarkusTest
@DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "waits on another server")
class LateRoleTest extends HttpTest {
    /** Less than the lock timeout of the service. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    @Test
    void an_admin_who_was_demoted_meanwhile_does_not_change_a_webhook() throws Exception {
        var webhook = newWebhook();
        var answer = demotedWhileWaiting(
                "webhook",
                IdKind.WEBHOOK.require(webhook),
                () -> admin.put("/v1/webhooks/" + webhook, Json.object("active", false)));
        answer.isProblem(403, "forbidden");
        assertThat(TestDatabase.count("SELECT count(*) FROM webhook WHERE organization_id = ? AND active", acme.id()))
                .isOne();
    }

    @Test
    void an_admin_who_was_demoted_meanwhile_does_not_create_a_webhook() throws Exception {
        var answer = demotedWhileWaiting(
                "organization",
                acme.id(),
                () -> admin.post(
                        "/v1/webhooks", Json.object("url", "http://127.0.0.1:9/x", "events", new String[] {"*"})));
        answer.isProblem(403, "forbidden");
        assertThat(TestDatabase.count("SELECT count(*) FROM webhook WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @Test
    void an_admin_who_was_demoted_meanwhile_does_not_delete_an_objective_of_others() throws Exception {
        var objective = newObjective();
        demotedWhileWaiting(
                        "objective",
                        IdKind.OBJECTIVE.require(objective),
                        () -> admin.delete(Paths.objective(objective)))
                .isProblem(403, "forbidden");
        member.get(Paths.objective(objective)).is(200);
    }

    @Test
    void an_admin_who_was_demoted_meanwhile_does_not_change_the_owner_of_an_objective() throws Exception {
        var objective = newObjective();
        demotedWhileWaiting(
                        "objective",
                        IdKind.OBJECTIVE.require(objective),
                        () -> admin.put(
                                Paths.objective(objective),
                                Json.object("owner_id", acme.adminUser().id())))
                .isProblem(403, "forbidden");
        assertThat(member.get(Paths.objective(objective)).is(200).text("owner_id"))
                .isEqualTo(acme.memberUser().id());
    }

    @Test
    void an_admin_who_was_demoted_meanwhile_does_not_change_a_check_in_of_others() throws Exception {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        demotedWhileWaiting(
                        "objective",
                        IdKind.OBJECTIVE.require(objective),
                        () -> admin.put(Paths.checkIn(keyResult, checkIn), Json.object("value", 7)))
                .isProblem(403, "forbidden");
        assertThat(member.get(Paths.checkIns(keyResult))
                        .is(200)
                        .data()
                        .at("/0/value")
                        .intValue())
                .isEqualTo(5);
    }

    /** Holds the lock on a row until the request waits for it and the admin has become a viewer. */
    private Answer demotedWhileWaiting(String table, UUID id, Callable<Answer> request) throws Exception {
        // The key is in the cache of the service from now on.
        admin.get("/v1/users/me").is(200);
        try (var clients = Executors.newSingleThreadExecutor();
                var connection = TestDatabase.connect();
                var lock = connection.prepareStatement(
                        "SELECT 1 FROM %s WHERE id = ? FOR NO KEY UPDATE".formatted(table))) {
            connection.setAutoCommit(false);
            lock.setObject(1, id);
            lock.execute();
            var answer = clients.submit(request);
            awaitWaiting();
            TestDatabase.execute(
                    "UPDATE users SET role = 'viewer' WHERE organization_id = ? AND id = ?",
                    acme.id(),
                    acme.adminUser().uuid());
            connection.commit();
            return answer.get();
        }
    }

    private static void awaitWaiting() throws InterruptedException {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 0) {
            assertThat(Instant.now()).as("the request waits for the lock").isBefore(deadline);
            Thread.sleep(10);
        }
    }
}
