package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/**
 * The base of all tests over HTTP. They share one running service. Each test has its own organisation. They use only
 * HTTP and JDBC, so they can also test the packaged application.
 */
@WithTestResource(value = TestDatabase.class, scope = TestResourceScope.GLOBAL)
public abstract class HttpTest {
    private static final Duration MAX_MOVE = Duration.ofSeconds(20);
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);
    private static final Duration PAUSE = Duration.ofMillis(50);

    @TestHTTPResource("/")
    protected URI service;

    /** The test's own organisation, with a user of each role. */
    protected TestOrganization acme;

    protected Api admin;
    protected Api member;
    protected Api viewer;

    @BeforeEach
    void found() {
        acme = organization();
        admin = acme.admin();
        member = acme.member();
        viewer = acme.viewer();
    }

    /** Another organisation. */
    protected final TestOrganization organization() {
        return TestOrganization.found(service, "business");
    }

    protected final TestOrganization organization(String plan) {
        return TestOrganization.found(service, plan);
    }

    /** A client without an API key. */
    protected final Api stranger() {
        return Api.of(service);
    }

    /** Creates a cycle with a new name and returns its id. */
    protected final String newCycle() {
        return create(admin, "/v1/cycles", Requests.uniqueCycle());
    }

    /** Creates a cycle that lasted until a day ago, and waits until the job has completed it. */
    protected final String newCompletedCycle() {
        var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        var cycle = create(
                admin,
                "/v1/cycles",
                Requests.with(
                        Requests.uniqueCycle(),
                        "starts_at",
                        now.minus(Duration.ofDays(90)).toString(),
                        "ends_at",
                        now.minus(Duration.ofDays(1)).toString()));
        var deadline = now.plus(MAX_MOVE);
        while (!viewer.get("/v1/cycles/" + cycle).text("status").equals("completed")) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        return cycle;
    }

    /** Creates an objective that the member owns. */
    protected final String newObjective() {
        return newObjective(newCycle());
    }

    protected final String newObjective(String cycle) {
        return create(member, "/v1/objectives", Requests.objective(cycle));
    }

    protected final String newKeyResult(String objective, Object start, Object target) {
        return create(member, Paths.keyResults(objective), Requests.keyResult(start, target));
    }

    /** A key result that is done or not done. */
    protected final String newBooleanKeyResult(String objective) {
        return create(
                member, Paths.keyResults(objective), Requests.with(Requests.keyResult(0, 1), "metric_type", "boolean"));
    }

    protected final String newCheckIn(String keyResult, Object value) {
        return create(member, Paths.checkIns(keyResult), Requests.checkIn(value));
    }

    protected final String newAlignment(String parent, String child) {
        return create(member, "/v1/alignments", Requests.alignment(parent, child));
    }

    /** An import that has failed, because its only line has no type. */
    protected final String newImport() {
        var id = admin.header("Content-Type", "application/x-ndjson")
                .post("/v1/imports", "{}")
                .is(202)
                .id();
        var deadline = Instant.now().plus(MAX_MOVE);
        while (!admin.get("/v1/imports/" + id).text("status").equals("failed")) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
        return id;
    }

    /** Subscribes to events that the test does not cause. The service would change their deliveries. */
    protected final String newWebhook() {
        var body = Json.object("url", "http://127.0.0.1:9/hook", "events", List.of("alignment.deleted"));
        return create(admin, "/v1/webhooks", body);
    }

    /** A delivery of some event that succeeded long ago. */
    protected final String newDelivery(String webhook) {
        var id = UuidV7.at(Instant.now());
        int inserted = TestDatabase.execute(
                """
                WITH event AS (SELECT organization_id, id FROM event WHERE organization_id = ? ORDER BY id LIMIT 1),
                attempt AS (
                    INSERT INTO delivery_attempt (organization_id, delivery_id, id, attempted_at, duration_ms,
                        status_code, response)
                    SELECT organization_id, ?, uuid_v7(now()), now(), 12, 200, 'ok' FROM event)
                INSERT INTO delivery (organization_id, id, webhook_id, event_id, status, attempts, retries, ready,
                    created_at, updated_at)
                SELECT organization_id, ?, ?, id, 'succeeded', 1, 0, false, now(), now() FROM event
                """, acme.id(), id, id, IdKind.WEBHOOK.parse(webhook).orElseThrow());
        assertThat(inserted).isOne();
        return IdKind.DELIVERY.format(id);
    }

    /** The deadlocks in transactions of the service up to now. */
    protected final double deadlocks() {
        return Metrics.of(service)
                .samples("okr_database_deadlocks_total")
                .getFirst()
                .value();
    }

    private static String create(Api api, String path, Map<String, Object> body) {
        return api.post(path, body).is(201).id();
    }

    public static void await(BooleanSupplier condition, Supplier<String> what) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as(what).isBefore(deadline);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
