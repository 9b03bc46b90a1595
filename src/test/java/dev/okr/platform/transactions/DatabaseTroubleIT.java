package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.RawHttp;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A database that is slow, full or shutting down. A trigger causes the error that the name of a cycle requests. */
@QuarkusIntegrationTest
class DatabaseTroubleIT extends HttpTest {
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final Duration MAX_ANSWER = Duration.ofSeconds(5);

    /** The time after which an abandoned statement must have ended on the server. */
    private static final Duration MAX_LEFT_OVER = Duration.ofSeconds(3);

    private static final String TRIGGER = """
            CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                PERFORM pg_sleep(split_part(NEW.name, ' ', 2)::float);
                IF split_part(NEW.name, ' ', 3) <> '' THEN
                    RAISE EXCEPTION 'trouble' USING ERRCODE = split_part(NEW.name, ' ', 3);
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER trouble AFTER INSERT OR UPDATE ON cycle
                FOR EACH ROW WHEN (NEW.name LIKE 'trouble %') EXECUTE FUNCTION trouble()
            """;

    private static ServiceProcess replica;
    private static boolean isWarm;

    @BeforeEach
    void start() {
        if (replica == null) {
            replica = ServiceProcess.onTestDatabase(Map.of("OKR_LIMITS_REQUEST_DEADLINE", DEADLINE.toString()));
        }
        if (!isWarm) {
            warmUp(organization().admin().at(replica.uri()));
            isWarm = true;
        }
        admin = admin.at(replica.uri());
        TestDatabase.execute(TRIGGER);
    }

    /** The first changes of a new process can take longer than the deadline. */
    private void warmUp(Api other) {
        await(
                () -> other.post("/v1/cycles", Requests.uniqueCycle()).status() == 201,
                () -> "a creation within the deadline");
        var cycle = "/v1/cycles/" + other.get("/v1/cycles").is(200).ids().getFirst();
        await(() -> other.put(cycle, Json.object("name", "Q2")).status() == 200, () -> "a change within the deadline");
    }

    @AfterEach
    void removeTrigger() {
        TestDatabase.execute("DROP FUNCTION trouble CASCADE");
    }

    @AfterAll
    static void stop() {
        replica.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "53100", // disk_full
                "53200", // out_of_memory
                "53300", // too_many_connections
                "53400", // configuration_limit_exceeded
                "57P01", // admin_shutdown
                "57P03", // cannot_connect_now
                "58030", // io_error
                "25006" // read_only_sql_transaction
            })
    void a_full_or_stopping_database_is_a_503_until_it_recovers(String state) {
        requireUnavailable(create("trouble 0 " + state));
        admin.post("/v1/cycles", Requests.cycle()).is(201);
        assertThat(cycles()).isOne();
    }

    @Test
    void an_abandoned_statement_ends_on_the_server() throws Exception {
        var before = Instant.now();
        var answer = create("trouble 60");
        requireUnavailable(answer);
        assertThat(answer.detail()).contains("too long");
        assertThat(Duration.between(before, Instant.now())).isLessThan(MAX_ANSWER);

        var deadline = Instant.now().plus(MAX_LEFT_OVER);
        while (sleeping() > 0) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(50);
        }
        assertThat(cycles()).isZero();
    }

    @Test
    void a_lock_that_is_not_given_up_is_a_503_that_costs_no_connection() throws Exception {
        var cycle = admin.post("/v1/cycles", Requests.cycle()).is(201).id();
        try (var other = lockCycles()) {
            assertThat(other.isValid(1)).isTrue();
            var before = Instant.now();
            var answer = admin.put("/v1/cycles/" + cycle, Json.object("name", "Q2"));
            requireUnavailable(answer);
            assertThat(answer.detail()).contains("too long");
            assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(3));
        }
        admin.put("/v1/cycles/" + cycle, Json.object("name", "Q2")).is(200);
    }

    @Test
    void a_change_does_not_start_if_the_lock_comes_after_the_deadline() throws Exception {
        var cycle = admin.post("/v1/cycles", Requests.cycle()).is(201).id();
        try (var other = lockCycles();
                var thread = Executors.newVirtualThreadPerTaskExecutor()) {
            var answer = thread.submit(() -> admin.put("/v1/cycles/" + cycle, Json.object("name", "Q2")));
            Thread.sleep(DEADLINE.plusMillis(200));
            other.rollback();
            requireUnavailable(answer.get());
        }
        assertThat(admin.get("/v1/cycles/" + cycle).is(200).text("name")).isNotEqualTo("Q2");
    }

    @Test
    void a_change_does_not_happen_if_the_client_has_disconnected() throws Exception {
        var cycle = admin.post("/v1/cycles", Requests.cycle()).is(201).id();
        var key = acme.key(acme.adminUser().uuid());
        var body = "{\"name\": \"Q2\"}";
        var change = "PUT /v1/cycles/%s HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\n".formatted(cycle, key)
                + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body);
        try (var other = lockCycles()) {
            RawHttp.abandon(replica.uri(), change, Duration.ofMillis(500));
            Thread.sleep(200);
            other.rollback();
        }
        // A later request of a connected client gets a response. By then the abandoned change would have been made.
        Thread.sleep(500);
        assertThat(admin.get("/v1/cycles/" + cycle).is(200).text("name")).isNotEqualTo("Q2");
        assertThat(RawHttp.send(replica.uri(), change)).contains("200 OK");
        assertThat(admin.get("/v1/cycles/" + cycle).is(200).text("name")).isEqualTo("Q2");
    }

    @Test
    void a_transaction_is_not_retried_after_the_deadline() {
        // Four attempts of 0.8 s each take longer than the deadline.
        requireUnavailable(create("trouble 0.8 40P01"));
        // The other service has a deadline of ten seconds.
        acme.admin().post("/v1/cycles", named("trouble 0.1 40P01")).isProblem(409, "conflict");
    }

    @Test
    void no_statement_starts_after_the_deadline() {
        var answer = create("trouble 2.3");
        requireUnavailable(answer);
        assertThat(answer.detail()).contains("too long");
        assertThat(cycles()).isZero();
    }

    /** Locks the organisation's cycles until the connection is rolled back or closed. */
    private Connection lockCycles() throws SQLException {
        var connection =
                DriverManager.getConnection(TestDatabase.jdbcUrl(), TestDatabase.username(), TestDatabase.password());
        connection.setAutoCommit(false);
        try (var lock = connection.prepareStatement("SELECT 1 FROM cycle WHERE organization_id = ? FOR UPDATE")) {
            lock.setObject(1, acme.id());
            lock.execute();
        }
        return connection;
    }

    private Answer create(String name) {
        return admin.post("/v1/cycles", named(name));
    }

    private static Map<String, Object> named(String name) {
        var cycle = new HashMap<>(Requests.cycle());
        cycle.put("name", name);
        return cycle;
    }

    private static void requireUnavailable(Answer answer) {
        answer.isProblem(503, "unavailable");
        assertThat(answer.header("Retry-After").orElseThrow()).matches("[1-9][0-9]*");
    }

    private int cycles() {
        return (int) TestDatabase.count("SELECT count(*) FROM cycle WHERE organization_id = ?", acme.id());
    }

    private static long sleeping() {
        return TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    }
}
