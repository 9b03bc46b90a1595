package dev.okr.access.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Assistant;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas with a low rate limit. The service that other tests share has none. */
@QuarkusIntegrationTest
@Tag("waits")
class RateLimitIT extends HttpTest {
    private static final String ME = "/v1/users/me";
    private static final int QUOTA = 120;
    private static final Duration REFILL = Duration.ofMillis(500);

    private final List<ServiceProcess> replicas = new ArrayList<>();
    private final Client client = Client.local();

    @AfterEach
    void stop() {
        replicas.forEach(ServiceProcess::close);
        client.close();
    }

    @Test
    void a_key_may_use_its_quota_in_one_burst_and_then_as_it_is_refilled() throws Exception {
        start();
        assertThat(quota(admin.get(ME).is(200))).isEqualTo("\"default\";r=119;t=1");
        var refused = spend();
        assertThat(refused.header("RateLimit-Policy")).hasValue("\"default\";q=120;w=60");
        assertThat(quota(refused)).isEqualTo("\"default\";r=0;t=1");
        assertThat(refused.header("Retry-After")).hasValue("1");
        for (int i = 0; i < 20; i++) {
            admin.get(ME);
        }

        // Each second refills two requests. The replicas exchange their counts from time to time.
        await(() -> admin.get(ME).status() == 200, () -> "the quota to be refilled");
        // Another key has its own quota.
        assertThat(quota(member.get(ME).is(200))).isEqualTo("\"default\";r=119;t=1");
    }

    @Test
    void the_limit_is_checked_after_the_plan_and_before_the_scope() {
        start();
        assertThat(stranger()
                        .get(ME)
                        .isProblem(401, "unauthenticated")
                        .headers()
                        .map())
                .doesNotContainKeys("ratelimit", "ratelimit-policy");
        var poor = organization("team").admin();
        for (int i = 0; i < 3; i++) {
            assertThat(quota(poor.get(ME).isProblem(403, "plan_required"))).startsWith("\"default\";r=120;");
        }
        var reader = acme.scoped("read").at(service);
        assertThat(quota(reader.post("/v1/cycles", "{").isProblem(403, "insufficient_scope")))
                .isEqualTo("\"default\";r=119;t=1");
        assertThat(quota(reader.get("/v1/nothing").isNotFound())).isEqualTo("\"default\";r=118;t=1");
        assertThat(quota(reader.post("/mcp", "{").isMalformed())).startsWith("\"default\";r=117;");
        var refused = reader.post("/v1/cycles", "{");
        for (int i = 0; i < 2 * QUOTA && refused.status() == 403; i++) {
            refused = reader.post("/v1/cycles", "{");
        }
        refused.isProblem(429, "rate_limited");
        // The quota is refilled meanwhile.
        refused = reader.post("/mcp", "{");
        for (int i = 0; i < 2 * QUOTA && refused.status() == 400; i++) {
            refused = reader.post("/mcp", "{");
        }
        refused.isProblem(429, "rate_limited");
    }

    @Test
    void responses_of_tools_show_the_quota() {
        start();
        var assistant = new Assistant(member);
        var answers = List.of(
                assistant.tryCall("who_am_i", Map.of()).is(200),
                assistant.tryCall("get_objective", Map.of()).is(200),
                assistant.tryCall("unknown", Map.of()).is(200),
                assistant.message("tools/list", Map.of()).is(200),
                assistant.notify("notifications/initialized").is(202),
                member.get("/mcp").is(405));
        for (var answer : answers) {
            assertThat(answer.header("RateLimit-Policy")).hasValue("\"default\";q=120;w=60");
            assertThat(quota(answer)).matches("\"default\";r=11\\d;t=\\d");
        }
        spend();
        var spent = new Assistant(admin);
        var refused = spent.tryCall("who_am_i", Map.of());
        for (int i = 0; i < QUOTA && refused.status() == 200; i++) {
            refused = spent.tryCall("who_am_i", Map.of());
        }
        refused.isProblem(429, "rate_limited");
        assertThat(quota(refused)).isEqualTo("\"default\";r=0;t=1");
        assertThat(refused.header("Retry-After")).hasValue("1");
    }

    @Test
    void replicas_share_the_quota() throws Exception {
        start();
        start();
        var hammered = client.key(acme.key(acme.viewerUser().uuid()));
        // Warms up both replicas. In the pause, each replica counts the other one.
        for (var replica : replicas) {
            admin(replica).get(ME).is(200);
        }
        Thread.sleep(Duration.ofSeconds(6));

        var before = Instant.now();
        long admitted = hammered.hammer(replicas, Duration.ofSeconds(30), 2);
        double seconds = Duration.between(before, Instant.now()).toMillis() / 1000.0;
        assertThat(admitted).isCloseTo(Math.round(QUOTA + seconds * QUOTA / 60), Percentage.withPercentage(5));
        assertThat(TestDatabase.count("SELECT max(reports) FROM rate_limit WHERE organization_id = ?", acme.id()))
                .isLessThanOrEqualTo(Math.round(replicas.size() * (seconds + 1)));
    }

    @Test
    void a_restart_does_not_fill_the_bucket() throws Exception {
        start();
        spend();
        Thread.sleep(Duration.ofSeconds(1));
        replicas.removeLast().close();
        var stopped = Instant.now();

        start();
        int admitted = 0;
        while (admin.get(ME).status() == 200) {
            admitted++;
        }
        var refilled = Duration.between(stopped, Instant.now()).plusSeconds(2).dividedBy(REFILL);
        // A few requests are allowed before the database has answered for the first time.
        assertThat(admitted).isLessThan((int) refilled + 10).isLessThan(QUOTA / 2);
    }

    @Test
    void an_organisation_that_sends_too_much_data_waits_and_others_do_not() {
        var replica = ServiceProcess.onTestDatabase(Map.of("OKR_RATE_LIMIT_MEGABYTES_PER_HOUR", "2"));
        replicas.add(replica);
        admin = admin(replica);
        var large = "{\"name\":\"%s\"}".formatted("x".repeat(600 << 10));
        var member = acme.member().at(replica.uri());
        var users = List.of(admin, member);
        for (var greedy : users) {
            // A user may use half of the quota. The last body may exceed it.
            greedy.post("/v1/objectives", large).isProblem(422, "validation_failed");
            greedy.post("/v1/objectives", large).isProblem(422, "validation_failed");
        }

        for (var greedy : users) {
            var refused = greedy.post("/v1/objectives", Map.of("title", "Late")).isProblem(429, "rate_limited");
            assertThat(refused.text()).contains("This user has written too much data");
            // 176 KiB above the quota. Each hour refills 1 MiB.
            assertThat(Integer.parseInt(refused.header("Retry-After").orElseThrow()))
                    .isBetween(500, 700);
            greedy.delete("/v1/objectives/obj_01m8edq95feadth5h61p47hdqw").isProblem(429, "rate_limited");
            greedy.get(ME).is(200);
        }
        var assistant = new Assistant(admin);
        assistant.tryCall("who_am_i", Map.of()).is(200);
        var late = Map.<String, Object>of("title", "Late", "cycle_id", "cyc_01m8edq95feadth5h61p47hdqw");
        assertThat(assistant.tryCall("create_objective", late).is(200).text())
                .contains("This user has written too much data");
        admin.header("Content-Type", "application/x-ndjson")
                .post("/v1/imports", "{}")
                .isProblem(429, "rate_limited");
        organization("business")
                .admin()
                .at(replica.uri())
                .post("/v1/cycles", Requests.cycle())
                .is(201);
    }

    /** A check-in of a few bytes changes all objectives above its own, and each of them has an event with its texts. */
    @Test
    void events_count_for_the_quota_of_data() {
        var replica = ServiceProcess.onTestDatabase(Map.of("OKR_RATE_LIMIT_MEGABYTES_PER_HOUR", "2"));
        replicas.add(replica);
        var writer = acme.member().at(replica.uri());
        var cycle = admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var child =
                writer.post("/v1/objectives", Requests.objective(cycle)).is(201).id();
        var keyResult = writer.post(Paths.keyResults(child), Requests.keyResult(0, 1000))
                .is(201)
                .id();
        LongTexts.above(acme.id(), IdKind.OBJECTIVE.require(child), 20);
        var answer = writer.get(ME);
        int checkIns = 0;
        for (; checkIns < 100 && answer.status() < 400; checkIns++) {
            answer = writer.post(Paths.checkIns(keyResult), Requests.checkIn(checkIns));
        }
        // A quarter of 20 times 8,000 characters counts for each check-in. The user may use 1 MiB.
        assertThat(checkIns).isBetween(10, 30);
        assertThat(answer.isProblem(429, "rate_limited").text()).contains("This user has written too much data");
        writer.get(Paths.objective(child)).is(200);
    }

    @Test
    void zero_means_no_limit() {
        // The service that all tests share has no limit.
        assertThat(admin.get(ME).is(200).headers().map()).doesNotContainKeys("ratelimit", "ratelimit-policy");
        admin.post("/v1/cycles", Requests.cycle()).is(201);
    }

    private void start() {
        var replica =
                ServiceProcess.onTestDatabase(Map.of("OKR_RATE_LIMIT_REQUESTS_PER_MINUTE", String.valueOf(QUOTA)));
        replicas.add(replica);
        service = replica.uri();
        admin = admin(replica);
        member = acme.member().at(replica.uri());
    }

    private Api admin(ServiceProcess replica) {
        return acme.admin().at(replica.uri());
    }

    /** Uses up the quota of the admin's key. */
    private Answer spend() {
        var began = Instant.now();
        for (int i = 0; i < 10 * QUOTA; i++) {
            var answer = admin.get(ME);
            if (answer.status() != 200) {
                long cameBack = Duration.between(began, Instant.now()).dividedBy(REFILL);
                assertThat((long) i).isBetween(QUOTA - 2L, QUOTA + cameBack + 1);
                return answer.isProblem(429, "rate_limited");
            }
        }
        throw new AssertionError("the quota has no end");
    }

    private static String quota(Answer answer) {
        return answer.header("RateLimit").orElseThrow();
    }
}
