package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Received;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas of the packaged service that crash, stop and share their work, with their own database. */
@Tag("waits")
class CrashIT {
    private static final int CLIENTS = 6;
    private static final Duration MAX_WAIT = Duration.ofSeconds(40);
    private static final Duration MAX_STOP = Duration.ofSeconds(10);
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final double FAILING = 0.3;

    /** Enough attempts that hardly any delivery fails all of them. */
    private static final String RETRIES = "PT0.2S,PT0.4S,PT0.8S,PT1S,PT1S,PT1S,PT1S,PT1S,PT1S,PT1S";

    private static final int WEBHOOKS = 3;
    private static final int BACKLOG_EVENTS = 1_500;

    /** Enough simultaneous events that both replicas fan out and claim each other's events. */
    private static final String BACKLOG = """
            WITH events AS (
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT o.id, uuid_v7(clock_timestamp()), 'objective.created', 'obj_' || n, clock_timestamp(), '{}'
                FROM organization o, generate_series(1, %d) AS n
                RETURNING organization_id, id, type)
            INSERT INTO outbox (organization_id, event_id, type) SELECT organization_id, id, type FROM events
            """.formatted(BACKLOG_EVENTS);

    private static final int MANY_WEBHOOKS = 100;
    private static final int LARGE_EVENTS = 8;

    /** Events with payloads of 68 kB, in one transaction. */
    private static final String LARGE = """
            WITH events AS (
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload)
                SELECT o.id, uuid_v7(clock_timestamp()), 'objective.created', 'obj_' || n, clock_timestamp(),
                    json_build_object('number', n, 'text', repeat(U&'\\+01F600', 17000))::text
                FROM organization o, generate_series(1, %d) AS n
                RETURNING organization_id, id, type)
            INSERT INTO outbox (organization_id, event_id, type) SELECT organization_id, id, type FROM events
            """.formatted(LARGE_EVENTS);

    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));

    @TempDir
    private static Path folder;

    private static CrashableDatabase database;

    private final List<ServiceProcess> replicas = new CopyOnWriteArrayList<>();
    private final List<Receiver> receivers = new ArrayList<>();

    @BeforeAll
    static void startDatabase() throws IOException {
        database = CrashableDatabase.start(folder);
        OrganizationFile.write(folder, TOKEN);
    }

    @AfterAll
    static void stopDatabase() throws IOException {
        database.close();
    }

    @AfterEach
    void stop() {
        // Leftovers of one test must not reach the receiver of another.
        database.run("UPDATE webhook SET active = false, deleted_at = now() - interval '1 hour'"
                + " WHERE deleted_at IS NULL");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            replicas.forEach(replica -> threads.submit(replica::close));
        }
        receivers.forEach(Receiver::close);
    }

    @Test
    void every_acknowledged_change_is_delivered_after_a_replica_and_the_database_are_killed() throws Exception {
        startReplicas(2, Map.of("OKR_WEBHOOKS_REQUEST_TIMEOUT", "PT2S"));
        var arrived = ConcurrentHashMap.<String>newKeySet();
        var chance = new Random(1);
        var receiver = receiver().answer(request -> {
            if (chance.nextDouble() < FAILING) {
                return Reply.status(500);
            }
            arrived.add(messageId(request));
            return Reply.status(200);
        });
        var webhook = subscribe(receiver, "/");
        var start = Instant.now();

        Set<String> acknowledged;
        try (var load = new Load()) {
            pause(Duration.ofSeconds(2));
            replicas.removeFirst().kill();
            pause(Duration.ofSeconds(2));
            int before = load.acknowledged.size();
            database.kill();
            database.restart();
            await(() -> load.acknowledged.size() > before + CLIENTS);
            pause(Duration.ofSeconds(2));
            acknowledged = load.acknowledged;
            assertThat(load.refused).extracting(Answer::status).containsOnly(503);
        }

        var events = events(start);
        assertThat(events.keySet()).containsAll(acknowledged);
        await(() -> arrived.containsAll(events.values()));
        await(() -> pending(webhook) == 0);
        assertThat(api().get(deliveries(webhook) + "?status=failed").is(200).ids())
                .isEmpty();
        assertThat(ServiceProcess.log())
                .doesNotContain(webhook.text("secret"), webhook.text("secret").substring("whsec_".length()));
    }

    @Test
    void two_healthy_replicas_send_each_event_once() throws Exception {
        startReplicas(2, Map.of());
        var receiver = receiver();
        for (int i = 0; i < WEBHOOKS; i++) {
            subscribe(receiver, "/" + i);
        }
        try (var load = new Load()) {
            pause(Duration.ofSeconds(1));
            database.run(BACKLOG);
            pause(Duration.ofSeconds(3));
            assertThat(load.refused).isEmpty();
        }
        var events =
                database
                        .column("SELECT id FROM event WHERE created_at > (SELECT max(created_at) FROM webhook)")
                        .stream()
                        .map(id -> IdKind.EVENT.format(UUID.fromString(id)))
                        .toList();
        assertThat(events).hasSizeGreaterThan(BACKLOG_EVENTS);
        await(() -> receiver.received().size() >= WEBHOOKS * events.size());
        pause(QUIET);
        for (int i = 0; i < WEBHOOKS; i++) {
            var target = "/" + i;
            assertThat(receiver.received().stream()
                            .filter(request -> request.target().equals(target))
                            .map(CrashIT::messageId))
                    .containsExactlyInAnyOrderElementsOf(events);
        }
    }

    @Test
    void a_stopping_replica_releases_its_deliveries() {
        // The lease is longer than the test.
        var patient = Map.of("OKR_WEBHOOKS_REQUEST_TIMEOUT", "PT60S");
        startReplicas(1, patient);
        var receiver = receiver().answer(Reply.hang());
        var webhook = subscribe(receiver, "/");
        for (int i = 0; i < 12; i++) {
            api().post("/v1/cycles", Requests.uniqueCycle()).is(201);
        }
        receiver.await(8);
        receiver.answer(Reply.status(200));
        startReplicas(1, patient);
        assertThat(replicas.removeFirst().stop()).isLessThan(MAX_STOP);

        receiver.await(8 + 12);
        await(() -> pending(webhook) == 0);
        assertThat(api().get(deliveries(webhook) + "?status=succeeded").is(200).ids())
                .hasSize(12);
    }

    @Test
    void replicas_wake_each_other_after_a_lost_connection() {
        startReplicas(2, Map.of("OKR_WEBHOOKS_POLL_EVERY", "60s", "OKR_WEBHOOKS_MAX_CONCURRENCY_PER_ENDPOINT", "1"));
        var atOnce = new AtomicInteger();
        var mostAtOnce = new AtomicInteger();
        var receiver = receiver().answer(request -> connection -> {
            mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            Thread.sleep(Duration.ofMillis(1_500));
            atOnce.decrementAndGet();
            return Reply.status(200).write(connection);
        });
        subscribe(receiver, "/");
        requireSharedWork(receiver, mostAtOnce);

        database.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
        pause(Duration.ofSeconds(3));
        requireSharedWork(receiver, mostAtOnce);
    }

    @Test
    void large_payloads_of_many_webhooks_do_not_fill_the_memory() {
        startReplicas(1, Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:+ExitOnOutOfMemoryError"));
        var receiver = receiver().answer(Reply.status(200).after(Duration.ofMillis(500)));
        for (int i = 0; i < MANY_WEBHOOKS; i++) {
            subscribe(receiver, "/" + i);
        }
        database.run(LARGE);
        await(() -> receiver.received().size() >= MANY_WEBHOOKS * LARGE_EVENTS);
        assertThat(receiver.received())
                .hasSize(MANY_WEBHOOKS * LARGE_EVENTS)
                .allSatisfy(request ->
                        assertThat(request.text()).startsWith("{\"number\"").hasSizeGreaterThan(34_000));
        assertThat(replicas.getFirst().status("/q/health/ready")).isEqualTo(200);
    }

    /** Each replica makes one attempt at a time, so two concurrent attempts prove that both work. */
    private void requireSharedWork(Receiver receiver, AtomicInteger mostAtOnce) {
        mostAtOnce.set(0);
        int before = receiver.received().size();
        for (int i = 0; i < 4; i++) {
            api().post("/v1/cycles", Requests.uniqueCycle()).is(201);
            pause(Duration.ofMillis(300));
        }
        receiver.await(before + 4);
        assertThat(mostAtOnce.get()).isEqualTo(2);
        pause(QUIET);
    }

    private void startReplicas(int count, Map<String, String> more) {
        var environment = database.serviceSettings(folder);
        environment.put("OKR_RATE_LIMIT_REQUESTS_PER_MINUTE", "0");
        environment.put("OKR_WEBHOOKS_RETRY_SCHEDULE", RETRIES);
        environment.putAll(more);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                threads.submit(() -> replicas.add(ServiceProcess.start(environment)));
            }
        }
        assertThat(replicas).hasSizeGreaterThanOrEqualTo(count);
    }

    private Receiver receiver() {
        var receiver = Receiver.start();
        receivers.add(receiver);
        return receiver;
    }

    private Api api() {
        return api(replicas.getFirst());
    }

    private static Api api(ServiceProcess replica) {
        return Api.of(replica.uri()).with(TOKEN);
    }

    private Answer subscribe(Receiver receiver, String target) {
        return api().post("/v1/webhooks", object("url", receiver.url(target), "events", List.of("*")))
                .is(201);
    }

    private static String deliveries(Answer webhook) {
        return "/v1/webhooks/" + webhook.id() + "/deliveries";
    }

    private int pending(Answer webhook) {
        return api().get(deliveries(webhook) + "?status=pending")
                .is(200)
                .meta()
                .get("total")
                .intValue();
    }

    /** The ids of all events since a time, by the ids of their resources. */
    private Map<String, String> events(Instant since) {
        var events = new HashMap<String, String>();
        var cursor = "";
        do {
            var page = api().get("/v1/events?type=cycle.created&per_page=100&since=" + since + "&cursor=" + cursor)
                    .is(200);
            StreamSupport.stream(page.data().spliterator(), false)
                    .forEach(event -> events.put(
                            event.at("/data/id").textValue(), event.get("id").textValue()));
            cursor = page.meta().path("next_cursor").asText();
        } while (!cursor.isEmpty());
        return events;
    }

    private static String messageId(Received request) {
        return request.header("webhook-id").orElseThrow();
    }

    private static void await(BooleanSupplier condition) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as("time").isBefore(deadline);
            pause(Duration.ofMillis(100));
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Clients that create cycles as fast as possible, spread over the running replicas. */
    private final class Load implements AutoCloseable {
        private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        private final List<Answer> refused = new CopyOnWriteArrayList<>();
        private final List<Thread> clients = IntStream.range(0, CLIENTS)
                .mapToObj(i -> Thread.ofVirtual().start(() -> create(i)))
                .toList();
        private volatile boolean over;

        private void create(int client) {
            for (int i = client; !over; i++) {
                try {
                    var answer = api(replicas.get(i % replicas.size())).post("/v1/cycles", Requests.uniqueCycle());
                    if (answer.status() == 201) {
                        acknowledged.add(answer.id());
                    } else {
                        refused.add(answer);
                    }
                } catch (UncheckedIOException | IndexOutOfBoundsException died) {
                    // The next iteration uses another replica.
                }
            }
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            for (var client : clients) {
                client.join();
            }
        }
    }
}
