package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that wait for a lock while their user loses the role, or their key is revoked. */
@QuarkusTest
@Tag("waits")
@DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "waits on another server")
class LateRoleTest extends HttpTest {
    private static final int WAITING_REQUESTS = 2;
    /** Less than the lock timeout of the service. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    private static final Duration UNTIL_WAITING = Duration.ofMillis(500);

    /** Locks that a check-in waits for: one during its work, and one after it. */
    private static final String OBJECTIVES = "SELECT 1 FROM objective FOR NO KEY UPDATE";

    private static final String TOTALS = "LOCK TABLE cycle_totals IN SHARE MODE";

    /** Hibernate inserts a new webhook at the commit. The insert waits for this lock. */
    private static final String WEBHOOKS = "LOCK TABLE webhook IN SHARE MODE";

    private static final Duration ALMOST_OUTDATED = Duration.ofMillis(3_200);

    private static final Duration LONG_WAIT = Duration.ofMillis(1_700);

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

    @ParameterizedTest
    @ValueSource(strings = {"create", "change", "close", "reopen", "carry-over", "delete"})
    void an_admin_who_was_demoted_meanwhile_does_not_change_cycles(String action) throws Exception {
        var cycle = "/v1/cycles/" + newCycle();
        var copies = Json.object("to", newCycle(), "values", "keep");
        demotedWhileWaiting("organization", acme.id(), () -> switch (action) {
                    case "create" -> admin.post("/v1/cycles", Requests.uniqueCycle());
                    case "change" -> admin.put(cycle, Json.object("name", "Changed"));
                    case "delete" -> admin.delete(cycle);
                    default -> admin.post(cycle + '/' + action, action.equals("carry-over") ? copies : null);
                })
                .isProblem(403, "forbidden");
    }

    @ParameterizedTest
    @ValueSource(strings = {"create", "edit", "close", "reopen"})
    void an_admin_who_was_demoted_meanwhile_does_not_change_cycles_in_the_console(String action) throws Exception {
        var cycles = "/settings/cycles";
        var path = action.equals("create") ? cycles : cycles + '/' + newCycle() + '/' + action;
        var form = action.equals("create") ? cycles + "/new" : path.replaceFirst("/(close|reopen)$", "");
        var browser = Browser.signedIn(service, acme.adminUser().email());
        demotedWhileWaiting(
                        "organization",
                        acme.id(),
                        () -> browser.submit(
                                form, path, "name", "Changed", "starts_at", "2030-01-01", "ends_at", "2030-03-31"))
                .is(403);
    }

    /** An organisation carries over once at a time. */
    @Test
    void an_admin_who_was_demoted_meanwhile_carries_over_nothing() throws Exception {
        var from = newCycle();
        newObjective(from);
        var to = newCycle();
        var locked = newCycle();
        var copies = Json.object("to", locked, "values", "keep");
        var path = "/settings/cycles/" + from + "/carry-over";
        var browser = Browser.signedIn(service, acme.adminUser().email());
        var token = browser.get(path + "?to=" + to).is(200).formToken();
        try (var clients = Executors.newVirtualThreadPerTaskExecutor();
                var lock = lock("cycle", IdKind.CYCLE.require(locked))) {
            // They run one after the other. Together they wait 2.4 s for the lock.
            for (int i = 0; i < WAITING_REQUESTS; i++) {
                clients.submit(() -> admin.post("/v1/cycles/" + from + "/carry-over", copies));
            }
            awaitWaiting();
            var carryOver = clients.submit(
                    () -> browser.post(path, "form_token", token, "to", to, "values", "keep", "which", "all"));
            Thread.sleep(UNTIL_WAITING);
            demote();
            lock.commit();
            carryOver.get().is(403);
        }
        assertThat(viewer.get("/v1/objectives?cycle_id=" + to).ids()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {OBJECTIVES, TOTALS})
    void a_key_that_was_revoked_meanwhile_changes_nothing(String lock) throws Exception {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        var token = acme.key(acme.memberUser().uuid());
        var api = member.with(token);
        afterLongWait(lock, api, () -> revoke(token), () -> api.post(Paths.checkIns(keyResult), Requests.checkIn(5)))
                .isProblem(401, "unauthenticated");
        assertThat(member.get(Paths.checkIns(keyResult)).is(200).data()).isEmpty();
    }

    @Test
    void a_key_that_was_revoked_meanwhile_creates_no_webhook() throws Exception {
        var token = acme.key(acme.adminUser().uuid());
        var api = admin.with(token);
        afterLongWait(
                        WEBHOOKS,
                        api,
                        () -> revoke(token),
                        () -> api.post(
                                "/v1/webhooks",
                                Json.object("url", "http://127.0.0.1:9/x", "events", new String[] {"*"})))
                .isProblem(401, "unauthenticated");
        assertThat(TestDatabase.count("SELECT count(*) FROM webhook WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {OBJECTIVES, TOTALS})
    void a_request_with_a_valid_key_succeeds_after_a_long_wait(String lock) throws Exception {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        afterLongWait(lock, member, () -> {}, () -> member.post(Paths.checkIns(keyResult), Requests.checkIn(5)))
                .is(201);
        assertThat(member.get(Paths.checkIns(keyResult)).is(200).data()).hasSize(1);
    }

    @Test
    void an_assistant_whose_user_was_demoted_meanwhile_changes_nothing() throws Exception {
        var keyResult = newKeyResult(newObjective(), 0, 10);
        var assistant = new Assistant(admin);
        var result = afterLongWait(
                OBJECTIVES,
                admin,
                this::demote,
                () -> assistant.call("check_in", Json.object("key_result_id", keyResult, "value", 5)));
        assertThat(result.text()).contains("forbidden");
        assertThat(member.get(Paths.checkIns(keyResult)).is(200).data()).isEmpty();
    }

    /** The key is in the cache before the request waits, and older than CallerCheck allows after the wait. */
    private static <T> T afterLongWait(String lock, Api api, Runnable event, Callable<T> request) throws Exception {
        try (var clients = Executors.newSingleThreadExecutor();
                var database = TestDatabase.connect();
                var statement = database.createStatement()) {
            database.setAutoCommit(false);
            statement.execute(lock);
            api.get("/v1/users/me").is(200);
            Thread.sleep(ALMOST_OUTDATED);
            var answer = clients.submit(request);
            awaitWaiting();
            event.run();
            Thread.sleep(LONG_WAIT);
            database.commit();
            return answer.get();
        }
    }

    /** Holds the lock on a row until the request waits for it and the admin has become a viewer. */
    private <T> T demotedWhileWaiting(String table, UUID id, Callable<T> request) throws Exception {
        // The key is in the cache of the service from now on.
        admin.get("/v1/users/me").is(200);
        try (var clients = Executors.newSingleThreadExecutor();
                var lock = lock(table, id)) {
            var answer = clients.submit(request);
            awaitWaiting();
            demote();
            lock.commit();
            return answer.get();
        }
    }

    private static Connection lock(String table, UUID id) throws SQLException {
        var connection = TestDatabase.connect();
        connection.setAutoCommit(false);
        try (var lock =
                connection.prepareStatement("SELECT 1 FROM %s WHERE id = ? FOR NO KEY UPDATE".formatted(table))) {
            lock.setObject(1, id);
            lock.execute();
        }
        return connection;
    }

    private void demote() {
        TestDatabase.execute(
                "UPDATE users SET role = 'viewer' WHERE organization_id = ? AND id = ?",
                acme.id(),
                acme.adminUser().uuid());
    }

    private static void revoke(String token) {
        TestDatabase.execute("UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", (Object) Token.hash(token));
    }

    private static void awaitWaiting() throws InterruptedException {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 0) {
            assertThat(Instant.now()).as("the request waits for the lock").isBefore(deadline);
            Thread.sleep(10);
        }
    }
}
