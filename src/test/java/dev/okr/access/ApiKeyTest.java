package dev.okr.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.http.Caller;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class ApiKeyTest extends HttpTest {
    private static final String ME = "/v1/users/me";
    private static final Duration EFFECTIVE_WITHIN = Duration.ofSeconds(5);
    private static final Duration UNTIL_WAITING = Duration.ofMillis(300);

    /** A sixth of the connections to the database. */
    private static final int LOOKUPS_AT_ONCE = 2;

    /** The requests of two keys exceed the waiting lookups of a network (32). One key may have 32 requests. */
    private static final int REQUESTS_OF_KEY = 20;

    @ParameterizedTest
    @ValueSource(strings = {"Bearer ", "bearer ", "BEARER ", "bEaReR   "})
    void the_scheme_is_case_insensitive(String scheme) {
        var token = acme.key(acme.viewerUser().uuid());
        assertThat(stranger()
                        .header("Authorization", scheme + token)
                        .get(ME)
                        .is(200)
                        .id())
                .isEqualTo(acme.viewerUser().id());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer x",
                "Bearer okr_",
                "Bearer\t%s",
                "Basic %s",
                "Digest %s",
                "%s",
                "Token %s",
                "Bearer Bearer %s",
                "Bearer %s0",
                "Bearer 0%s",
                "Bearer \"%s\"",
                "Bearer %s,%1$s",
                "Bearer %s %1$s",
                "Bearer=%s"
            })
    void a_missing_or_malformed_key_is_rejected(String authorization) {
        var token = acme.key(acme.adminUser().uuid());
        refuses(stranger()
                .header("Authorization", authorization.formatted(token))
                .get(ME));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_disconnects_fails_no_other_request_with_the_same_key(boolean isKnown) throws Exception {
        var token = acme.key(acme.viewerUser().uuid());
        if (isKnown) {
            stranger().with(token).get(ME).is(200);
            pause(Caller.MAX_AGE.plus(UNTIL_WAITING));
        }
        try (var database = TestDatabase.connect();
                var statement = database.createStatement()) {
            database.setAutoCommit(false);
            // Both requests wait for one lookup of the key.
            statement.execute("LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<Answer> other;
            try (var gone = new Socket(service.getHost(), service.getPort())) {
                gone.getOutputStream()
                        .write("GET %s HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n\r\n"
                                .formatted(ME, token)
                                .getBytes(StandardCharsets.US_ASCII));
                Thread.sleep(UNTIL_WAITING);
                other = CompletableFuture.supplyAsync(
                        () -> stranger().with(token).get(ME));
                Thread.sleep(UNTIL_WAITING);
                gone.setSoLinger(true, 0);
            }
            Thread.sleep(UNTIL_WAITING);
            database.rollback();
            other.get().is(200);
        }
    }

    @Test
    void lookups_of_new_keys_delay_revoked_keys_but_not_known_keys() throws Exception {
        var revoked = acme.key(acme.memberUser().uuid());
        for (var api : List.of(viewer, admin, stranger().with(revoked))) {
            api.get(ME).is(200);
        }
        TestDatabase.execute(
                "UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", (Object) Token.hash(revoked));
        pause(Caller.MAX_AGE.plus(UNTIL_WAITING));
        refuses(stranger().with(revoked).get(ME));
        try (var database = TestDatabase.connect();
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            database.setAutoCommit(false);
            // A lookup of a new key writes the time of its use, so it waits for the lock on the key.
            var waiting = new ArrayList<Future<Answer>>();
            for (int i = 0; i < LOOKUPS_AT_ONCE; i++) {
                var token = acme.key(acme.viewerUser().uuid());
                try (var lock = database.prepareStatement("SELECT FROM api_key WHERE token_hash = ? FOR UPDATE")) {
                    lock.setObject(1, Token.hash(token));
                    lock.execute();
                }
                waiting.add(clients.submit(() -> stranger().with(token).get(ME)));
            }
            pause(UNTIL_WAITING);
            waiting.add(clients.submit(() -> stranger().with(revoked).get(ME)));
            var requests = new ArrayList<Callable<Answer>>();
            for (int i = 0; i < REQUESTS_OF_KEY; i++) {
                requests.addAll(List.of(() -> viewer.get(ME), () -> admin.get(ME)));
            }
            for (var answer : clients.invokeAll(requests)) {
                answer.get().is(200);
            }
            assertThat(waiting).noneMatch(Future::isDone);
            database.rollback();
            refuses(waiting.removeLast().get());
            for (var answer : waiting) {
                answer.get().is(200);
            }
        }
    }

    @Test
    void all_rejections_of_a_key_look_the_same() {
        var user = acme.user("Mary Jackson", "admin");
        var active = acme.key(user.uuid());
        var revoked = acme.key(user.uuid());
        TestDatabase.execute(
                "UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", (Object) Token.hash(revoked));
        var expired = acme.key(user.uuid(), Instant.now().minusSeconds(1), "read", "write", "webhooks");
        var mistyped = active.substring(0, active.length() - 1) + (active.endsWith("0") ? '1' : '0');
        var unknown = Token.generate(() -> 7);

        refuses(stranger().get(ME));
        for (var token : List.of(revoked, expired, mistyped, unknown, active.toLowerCase(Locale.ROOT))) {
            refuses(stranger().with(token).get(ME));
        }
        stranger().with(active).get(ME).is(200);
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", user.uuid());
        refuses(stranger().with(acme.key(user.uuid())).get(ME));
    }

    @Test
    void the_rejection_of_a_key_does_not_depend_on_the_path() {
        for (var path :
                List.of("/v1", "/v1/", "/v1/nothing", "/v1/objectives/x/y/z", "/v1//users/me", "/q/../v1/users/me")) {
            refuses(stranger().get(path));
            refuses(stranger().post(path, "{"));
        }
    }

    @Test
    void a_new_key_works_at_once() {
        var token = Token.generate(() -> 7);
        refuses(stranger().with(token).get(ME));
        stranger().with(acme.key(acme.viewerUser().uuid())).get(ME).is(200);
    }

    @Test
    void the_time_of_the_last_use_is_written_at_most_once_per_minute() {
        var token = acme.key(acme.viewerUser().uuid());
        assertThat(uses(token, "IS NULL")).isOne();
        stranger().with(token).get(ME).is(200);
        assertThat(uses(token, "> now() - interval '1 minute'")).isOne();
        // Another replica wrote the time half a minute ago. This replica has not cached the key.
        var recent = acme.key(acme.viewerUser().uuid());
        setUse(recent, "30 seconds");
        stranger().with(recent).get(ME).is(200);
        assertThat(uses(recent, "< now() - interval '29 seconds'")).isOne();
        var longAgo = acme.key(acme.viewerUser().uuid());
        setUse(longAgo, "61 seconds");
        stranger().with(longAgo).get(ME).is(200);
        assertThat(uses(longAgo, "> now() - interval '29 seconds'")).isOne();
    }

    @Test
    void changes_of_keys_users_and_plans_take_effect_within_seconds() {
        var revoked = stranger().with(acme.key(acme.viewerUser().uuid()));
        var expiring =
                stranger().with(acme.key(acme.viewerUser().uuid(), Instant.now().plusSeconds(3), "read", "write"));
        var user = acme.user("Mary Jackson", "member");
        var promoted = acme.user("Dorothy Vaughan", "member");
        var other = organization();
        var downgraded = other.viewer();
        for (var api : List.of(revoked, expiring, user.api(), promoted.api(), downgraded)) {
            api.get(ME).is(200);
        }
        promoted.api().post("/v1/cycles", Requests.cycle()).isProblem(403, "forbidden");

        TestDatabase.execute(
                "UPDATE api_key SET revoked_at = now() WHERE organization_id = ? AND last_used_at IS NOT NULL"
                        + " AND user_id = ? AND expires_at IS NULL",
                acme.id(),
                acme.viewerUser().uuid());
        TestDatabase.execute("UPDATE users SET deactivated_at = now() WHERE id = ?", user.uuid());
        TestDatabase.execute("UPDATE users SET role = 'admin' WHERE id = ?", promoted.uuid());
        TestDatabase.execute("UPDATE organization SET plan = 'team' WHERE id = ?", other.id());
        var deadline = Instant.now().plus(EFFECTIVE_WITHIN);
        becomes(deadline, revoked, answer -> answer.status() == 401);
        becomes(deadline, expiring, answer -> answer.status() == 401);
        becomes(deadline, user.api(), answer -> answer.status() == 401);
        becomes(
                deadline,
                promoted.api(),
                answer -> answer.status() == 200 && answer.text("role").equals("admin"));
        becomes(deadline, downgraded, answer -> answer.status() == 403);
        promoted.api().post("/v1/cycles", Requests.cycle()).is(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"free", "team"})
    void the_api_requires_the_business_plan(String plan) {
        var poor = organization(plan);
        poor.admin().get(ME).isProblem(403, "plan_required");
        poor.admin().get("/v1/nothing").isProblem(403, "plan_required");
        poor.viewer().post("/v1/objectives", "{").isProblem(403, "plan_required");
        poor.scoped("webhooks").get("/v1/objectives").isProblem(403, "plan_required");
        organization("enterprise").viewer().get(ME).is(200);
    }

    private static void becomes(Instant deadline, Api api, Predicate<Answer> expected) {
        var answer = api.get(ME);
        while (!expected.test(answer)) {
            assertThat(Instant.now()).as(answer::toString).isBefore(deadline);
            pause(Duration.ofMillis(100));
            answer = api.get(ME);
        }
    }

    private static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void setUse(String token, String ago) {
        TestDatabase.execute(
                "UPDATE api_key SET last_used_at = now() - interval '" + ago + "' WHERE token_hash = ?",
                (Object) Token.hash(token));
    }

    private static long uses(String token, String condition) {
        return TestDatabase.count(
                "SELECT count(*) FROM api_key WHERE token_hash = ? AND last_used_at " + condition,
                (Object) Token.hash(token));
    }

    private static void refuses(Answer answer) {
        answer.isProblem(401, "unauthenticated");
        assertThat(answer.header("WWW-Authenticate")).hasValue("Bearer");
        assertThat(answer.detail())
                .isEqualTo("Send a valid API key in the Authorization header, with the Bearer scheme.");
    }
}
