package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.testing.Api;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service is killed at random moments of an import, with its own database. */
@Tag("waits")
class ImportCrashIT {
    private static final int KILLS = 10;
    private static final int OBJECTIVES = 1_500;
    private static final int MAX_MILLIS = 6_000;
    private static final int LONG_OBJECTIVES = 1_500;
    private static final int USERS = 49_000;
    private static final String CYCLE = Moving.file(Moving.line(
            "cycle",
            "external_id",
            "c",
            "name",
            "C",
            "starts_at",
            "2026-01-01T00:00:00Z",
            "ends_at",
            "2026-07-01T00:00:00Z"));
    private static final Duration MAX_TAKE_OVER = Duration.ofMinutes(1);

    private static final String COPY =
            "SELECT query FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY check_in%' AND ";

    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));

    @TempDir
    private static Path folder;

    @Test
    void an_import_is_written_once_or_not_at_all_whenever_the_service_is_killed() throws Exception {
        var chance = new Random(20261123);
        OrganizationFile.write(folder, TOKEN);
        try (var database = CrashableDatabase.start(folder)) {
            var file = RandomFile.of(1, "acme-users.test", OBJECTIVES);
            var id = "";
            for (int kill = 0; kill <= KILLS; kill++) {
                try (var service = start(database)) {
                    var admin = Api.of(service.uri()).with(TOKEN);
                    if (id.isEmpty()) {
                        id = Moving.post(admin, "", file.getBytes(StandardCharsets.UTF_8))
                                .is(202)
                                .id();
                    }
                    if (kill < KILLS) {
                        Thread.sleep(chance.nextInt(MAX_MILLIS));
                        requireAllOrNothing(admin, database, id);
                        service.kill();
                        // The next start does not wait for the lease of the killed one.
                        database.run("UPDATE import SET lease_until = now() WHERE lease_until IS NOT NULL");
                    } else {
                        assertThat(Moving.await(admin, id).text("status")).isEqualTo("succeeded");
                        requireAllOrNothing(admin, database, id);
                        Moving.succeeds(Moving.run(admin, "", file), 0, 0, (int)
                                file.lines().count());
                        assertThat(database.column("SELECT count(*) FROM event WHERE type = 'objective.created'"))
                                .containsExactly(String.valueOf(OBJECTIVES));
                    }
                }
            }
        }
    }

    @Test
    void an_import_of_a_replica_that_is_frozen_while_it_sends_rows_is_taken_over() throws Exception {
        OrganizationFile.write(folder, TOKEN);
        try (var database = CrashableDatabase.start(folder.resolve("frozen"));
                var frozen = start(database)) {
            var file = RandomFile.of(1, "acme-users.test", OBJECTIVES).getBytes(StandardCharsets.UTF_8);
            try {
                var id = freezeInCopy(frozen, database, file);
                // It does not apply the organisation file, because this waits for the lock of the import.
                try (var other = start(database, Map.of())) {
                    var admin = Api.of(other.uri()).with(TOKEN);
                    var takenOver = Instant.now();
                    assertThat(Moving.await(admin, id).text("status")).isEqualTo("succeeded");
                    assertThat(Duration.between(takenOver, Instant.now())).isLessThan(MAX_TAKE_OVER);
                    requireAllOrNothing(admin, database, id);
                    admin.post("/v1/teams", Map.of("name", "After")).is(201);
                    frozen.thaw();
                    Moving.succeeds(Moving.run(admin, "", file), 0, 0, lines(file));
                    requireAllOrNothing(admin, database, id);
                }
            } finally {
                frozen.kill();
            }
        }
    }

    /** The file is small, but the objectives that it changes are large. */
    @Test
    void an_import_that_changes_long_texts_needs_little_memory() throws Exception {
        withHeap("memory", "-Xmx80m", (database, admin) -> {
            var longText = "\uD83D\uDE00".repeat(4_096);
            Moving.succeeds(
                    Moving.run(
                            admin,
                            "",
                            CYCLE
                                    + objectives(i -> objective(
                                            i,
                                            "title",
                                            "O",
                                            "cycle_id",
                                            "c",
                                            "description",
                                            longText,
                                            "retrospective",
                                            longText))),
                    1 + LONG_OBJECTIVES,
                    0,
                    0);
            Moving.succeeds(
                    Moving.run(
                            admin,
                            "",
                            CYCLE + objectives(i -> objective(i, "title", "P", "cycle_id", "c", "description", "D"))),
                    0,
                    LONG_OBJECTIVES,
                    1);
        });
    }

    /** The names and addresses of all users do not fit into this heap. */
    @Test
    void an_import_into_an_organisation_of_49000_users_needs_little_memory() throws Exception {
        withHeap("users", "-Xmx96m -XX:+UseSerialGC", (database, admin) -> {
            database.run("""
                    INSERT INTO users (organization_id, id, email, name, role, created_at)
                    SELECT o.id, gen_random_uuid(), rpad(n::text, 240, 'x') || '@acme.test', repeat(U&'\\+01F600', 250),
                        'member', now()
                    FROM organization o, generate_series(1, %d) n""".formatted(USERS));
            Moving.succeeds(
                    Moving.run(
                            admin,
                            "",
                            Moving.file(
                                    user("New@acme.test"),
                                    user("1" + "x".repeat(239) + "@ACME.test"),
                                    Moving.line(
                                            "team",
                                            "id",
                                            "t",
                                            "name",
                                            "T",
                                            "members",
                                            List.of(Map.of(
                                                    "email", "2" + "x".repeat(239) + "@acme.test", "role", "lead"))))),
                    2,
                    1,
                    0);
        });
    }

    /** The addresses of all users, or of all members of a team, do not fit into this heap. */
    @Test
    void an_export_of_an_organisation_of_49000_users_needs_little_memory() throws Exception {
        withHeap("export", "-Xmx56m -XX:+UseSerialGC", (database, admin) -> {
            database.run("""
                    WITH more AS (
                        INSERT INTO users (organization_id, id, email, name, role, created_at)
                        SELECT o.id, gen_random_uuid(), rpad(n::text, 240, 'ж') || '@acme.test', 'N', 'member', now()
                        FROM organization o, generate_series(1, %d) n RETURNING organization_id, id),
                    team AS (
                        INSERT INTO team (organization_id, id, name, created_at)
                        SELECT id, gen_random_uuid(), 'All', now() FROM organization RETURNING organization_id, id)
                    INSERT INTO team_member (organization_id, team_id, user_id, role)
                    SELECT team.organization_id, team.id, more.id, 'member' FROM team, more""".formatted(USERS));
            var export = admin.get("/v1/export").is(200).text();
            assertThat(export.lines().filter(line -> line.startsWith("{\"type\":\"user\"")))
                    .hasSizeGreaterThan(USERS);
            assertThat(export.split("@acme.test\",\"role\":\"member\"}", -1)).hasSize(USERS + 1);
        });
    }

    /** Uses a service, as the admin of its organisation. */
    @FunctionalInterface
    private interface Use {
        void run(CrashableDatabase database, Api admin) throws Exception;
    }

    /** Starts a service with its own database and with these options of the JVM. */
    private static void withHeap(String name, String options, Use use) throws Exception {
        OrganizationFile.write(folder, TOKEN);
        try (var database = CrashableDatabase.start(folder.resolve(name));
                var service = start(database, memory(options))) {
            use.run(database, Api.of(service.uri()).with(TOKEN));
        }
    }

    private static String user(String email) {
        return Moving.line("user", "email", email, "name", "N", "role", "member");
    }

    private static Map<String, String> memory(String options) {
        return Map.of(
                "OKR_BOOTSTRAP_FILE",
                OrganizationFile.in(folder).toString(),
                "JAVA_TOOL_OPTIONS",
                options + " -XX:+ExitOnOutOfMemoryError");
    }

    private static String objectives(IntFunction<String> line) {
        return Moving.file(IntStream.range(0, LONG_OBJECTIVES).mapToObj(line).toArray(String[]::new));
    }

    private static String objective(int number, Object... namesAndValues) {
        var all = Stream.concat(Stream.of("external_id", "o" + number), Stream.of(namesAndValues));
        return Moving.line("objective", all.toArray());
    }

    private static int lines(byte[] file) {
        return (int) new String(file, StandardCharsets.UTF_8).lines().count();
    }

    /**
     * Starts an import. Freezes the service while the database waits for the rows of a COPY, after the import has locked
     * the organisation. The service would send the rows as soon as the COPY has the lock on the table.
     *
     * @return the id of the import
     */
    private static String freezeInCopy(ServiceProcess service, CrashableDatabase database, byte[] file)
            throws Exception {
        final String id;
        try (var connection = DriverManager.getConnection(database.jdbcUrl());
                var lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("LOCK TABLE check_in IN SHARE ROW EXCLUSIVE MODE");
            id = Moving.post(Api.of(service.uri()).with(TOKEN), "", file)
                    .is(202)
                    .id();
            awaitCopy(database, "wait_event_type = 'Lock'");
            service.freeze();
        }
        awaitCopy(database, "wait_event = 'ClientRead'");
        return id;
    }

    private static void awaitCopy(CrashableDatabase database, String state) throws InterruptedException {
        var deadline = Instant.now().plus(Duration.ofSeconds(30));
        while (database.column(COPY + state).isEmpty()) {
            assertThat(Instant.now()).as(state).isBefore(deadline);
            Thread.sleep(20);
        }
    }

    private static void requireAllOrNothing(Api admin, CrashableDatabase database, String id) {
        var deadline = Instant.now().plus(Duration.ofSeconds(30));
        while (Instant.now().isBefore(deadline)) {
            var before = admin.get("/v1/imports/" + id).is(200).text("status");
            var objectives = database.column("SELECT count(*) FROM objective");
            if (before.equals(admin.get("/v1/imports/" + id).is(200).text("status"))) {
                assertThat(objectives).isEqualTo(List.of(String.valueOf(before.equals("succeeded") ? OBJECTIVES : 0)));
                return;
            }
        }
        throw new AssertionError("The status changes all the time.");
    }

    private static ServiceProcess start(CrashableDatabase database) {
        return start(
                database,
                Map.of("OKR_BOOTSTRAP_FILE", OrganizationFile.in(folder).toString()));
    }

    private static ServiceProcess start(CrashableDatabase database, Map<String, String> more) {
        var settings = new HashMap<>(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                database.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                "postgres",
                "QUARKUS_DATASOURCE_PASSWORD",
                "",
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY,
                "OKR_RATE_LIMIT_REQUESTS_PER_MINUTE",
                "0"));
        settings.putAll(more);
        return ServiceProcess.start(settings);
    }
}
