package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.okr.platform.encryption.SecretBoxes;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Api;
import dev.okr.testing.CommandProcess;
import dev.okr.testing.CommandProcess.Outcome;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.FreePort;
import dev.okr.testing.Json;
import dev.okr.testing.Receiver;
import dev.okr.testing.ServiceProcess;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs commands as separate processes while the service runs. Processes are slow to start, so this class has only the
 * tests that need them. {@link CommandTest} has the others.
 */
@Tag("waits")
class CommandsIT {
    private static final String OLD_KEY = SecretBoxes.key(1);
    private static final String NEW_KEY = SecretBoxes.key(2);
    private static final String LOG_FILE = "service.log";
    private static final Duration MAX_REVOCATION = Duration.ofSeconds(5);

    @TempDir
    Path folder;

    @Test
    void an_installation_can_be_operated_by_commands_alone() throws Exception {
        try (var database = CrashableDatabase.start(folder)) {
            createsAnOrganization(database);
            // The first step of a key rotation: every replica knows the new key, and none encrypts with it.
            try (var service = ServiceProcess.start(serving(database));
                    var receiver = Receiver.start()) {
                var api = Api.of(service.uri());
                var token = key(database, "ada@acme.test");
                var admin = api.with(token);
                assertThat(admin.get("/v1/users/me").is(200).text("email")).isEqualTo("ada@acme.test");

                rotatesTheKeyOfARunningService(database, admin, receiver);
                erasesAllPersonalData(database, admin);
                checksTheHealthOfTheService(service);
            }
        }
        assertThat(folder.resolve(LOG_FILE)).doesNotExist();
    }

    @Test
    void a_command_without_a_database_says_in_one_line_what_to_set() {
        var outcome = CommandProcess.run(Map.of(), "key", "list");

        assertThat(outcome.exitCode()).isOne();
        assertThat(outcome.output()).isEmpty();
        assertThat(outcome.errors()).hasLineCount(1).contains("QUARKUS_DATASOURCE_JDBC_URL");
    }

    @Test
    void the_schema_can_be_migrated_before_replicas_start() throws Exception {
        try (var database = CrashableDatabase.start(folder)) {
            var first = run(database, "schema", "migrate");
            assertThat(first.errors()).matches("The schema has version \\d+, by \\d+ migrations\\.\n");
            assertThat(first.exitCode()).isZero();

            assertThat(run(database, "schema", "migrate").errors())
                    .hasLineCount(1)
                    .contains(" already.");
            assertThat(run(database, "organization", "list").exitCode()).isZero();
        }
    }

    @Test
    void wrong_usage_ends_with_2() {
        var wrong = CommandProcess.run(Map.of(), "key", "create", "--user", "ada");

        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.output()).isEmpty();
        assertThat(wrong.errors()).contains("Try: okr key create --help");
    }

    private void createsAnOrganization(CrashableDatabase database) {
        var tooEarly = run(database, "organization", "list");
        assertThat(tooEarly.exitCode()).isOne();
        assertThat(tooEarly.errors()).hasLineCount(1).contains("no schema");
        assertThat(database.column("SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
                .isEmpty();

        done(run(
                database,
                "organization",
                "create",
                "--slug",
                "acme",
                "--name",
                "Acme Corp",
                "--admin-email",
                "ada@acme.test",
                "--admin-name",
                "Ada Lovelace"));
    }

    private static void checksTheHealthOfTheService(ServiceProcess service) {
        var port = Map.of("QUARKUS_HTTP_PORT", String.valueOf(service.uri().getPort()));
        assertThat(CommandProcess.run(port, "health").exitCode()).isZero();
        assertThat(CommandProcess.run(port, "health", "--ready").exitCode()).isZero();

        var nobody = CommandProcess.run(Map.of("QUARKUS_HTTP_PORT", String.valueOf(FreePort.find())), "health");
        assertThat(nobody.exitCode()).isOne();
        assertThat(nobody.errors()).hasLineCount(1).contains("does not answer");
    }

    private void rotatesTheKeyOfARunningService(CrashableDatabase database, Api admin, Receiver receiver)
            throws WebhookVerificationException {
        var repeatable = admin.header("Idempotency-Key", "a-webhook");
        var request = Json.object("url", receiver.url("/hook"), "events", List.of("cycle.created"));
        var created = repeatable.post("/v1/webhooks", request).is(201);
        var first = created.text("secret");
        var path = "/v1/webhooks/" + created.id();
        var second = admin.post(path + "/rotate-secret", null).is(200).text("secret");

        var oldKeyId = SecretBoxes.of(OLD_KEY).currentKeyId().orElseThrow();
        var newKeyId = SecretBoxes.of(NEW_KEY).currentKeyId().orElseThrow();

        var keys = Map.of("OKR_ENCRYPTION_KEY", NEW_KEY, "OKR_ENCRYPTION_KEYS_PREVIOUS", OLD_KEY);
        assertThat(done(run(database, keys, "webhook-secrets", "rotate-key")))
                .contains(newKeyId + "  current")
                .doesNotContain(oldKeyId);

        assertThat(repeatable.post("/v1/webhooks", request).is(201).text()).isEqualTo(created.text());
        admin.post(path + "/ping", null).is(202);
        receiver.await(1);
        var received = receiver.received().getFirst();
        for (var secret : List.of(first, second)) {
            new Webhook(secret).verify(received.text(), received.headers());
        }
    }

    private void erasesAllPersonalData(CrashableDatabase database, Api ada) throws InterruptedException {
        database.run("""
                INSERT INTO users (organization_id, id, email, name, role, created_at)
                SELECT id, uuid_v7(now()), 'grace@acme.test', 'Grace Hopper', 'admin', now() FROM organization
                """);
        // The state after a start with an organisation file.
        database.run("UPDATE users SET provisioned_name = name, provisioned_role = role");
        database.run("UPDATE api_key SET provisioned_as = name");
        ada.header("Idempotency-Key", "once")
                .post(
                        "/v1/cycles",
                        Json.object(
                                "name", "Q1", "starts_at", "2027-01-01T00:00:00Z", "ends_at", "2027-04-01T00:00:00Z"))
                .is(201);

        var erased = run(database, "user", "erase", "ada@acme.test", "--yes");
        done(erased);
        assertThat(erased.errors()).doesNotContainIgnoringCase("ada");

        assertThat(dump(database)).contains("grace@acme.test").doesNotContainIgnoringCase("lovelace", "ada@acme");
        var user = IdKind.USER.parse(erased.errors().split(" ")[1]).orElseThrow();
        assertThat(database.column(
                        "SELECT deactivated_at IS NOT NULL AND erased_at IS NOT NULL AND name = 'Erased user'"
                                + " AND email LIKE '%@erased.invalid' FROM users WHERE id = '" + user + "'"))
                .containsExactly("t");
        assertThat(database.column("SELECT count(*) FROM api_key WHERE revoked_at IS NULL"))
                .containsExactly("0");
        awaitRefusal(ada);
    }

    private static void awaitRefusal(Api api) throws InterruptedException {
        var deadline = Instant.now().plus(MAX_REVOCATION);
        var answer = api.get("/v1/users/me");
        while (answer.status() == 200 && Instant.now().isBefore(deadline)) {
            Thread.sleep(Duration.ofMillis(200));
            answer = api.get("/v1/users/me");
        }
        answer.isProblem(401, "unauthenticated");
    }

    /** Every row of every table as text, including binary columns. */
    private static String dump(CrashableDatabase database) {
        var dump = new StringBuilder();
        for (var table : database.column(
                "SELECT c.oid::regclass FROM pg_class c WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace")) {
            for (var row : database.column("SELECT t::text FROM " + table + " t")) {
                dump.append(row).append('\n');
            }
        }
        for (var word : List.of("Lovelace", "ada@acme")) {
            var hex = HexFormat.of().formatHex(word.getBytes(StandardCharsets.UTF_8));
            assertThat(dump.toString()).doesNotContain(hex);
        }
        return dump.toString();
    }

    /** Creates a key with a recognisable name and returns its token. */
    private String key(CrashableDatabase database, String user) {
        var token = done(run(database, "key", "create", "--user", user, "--name", "Lovelace's laptop"));
        assertThat(token).matches("okr_[0-9A-Za-z]{49}\\R");
        return token.strip();
    }

    private static String done(Outcome outcome) {
        assertThat(outcome.exitCode()).as(outcome::toString).isZero();
        return outcome.output();
    }

    private Outcome run(CrashableDatabase database, String... arguments) {
        return run(database, Map.of(), arguments);
    }

    /** The environment has everything that operators configure for the service. The output must contain none of it. */
    private Outcome run(CrashableDatabase database, Map<String, String> keys, String... arguments) {
        var environment = new HashMap<>(connection(database));
        environment.put("OKR_DEMO", "true");
        environment.put("OKR_BOOTSTRAP_FILE", "/no/such/file");
        environment.put("QUARKUS_LOG_LEVEL", "INFO");
        environment.put("QUARKUS_LOG_FILE_ENABLED", "true");
        environment.put("QUARKUS_LOG_FILE_PATH", folder.resolve(LOG_FILE).toString());
        environment.put("QUARKUS_LOG_SOCKET_ENABLED", "true");
        environment.put("QUARKUS_LOG_SYSLOG_ENABLED", "true");
        environment.putAll(keys);
        return CommandProcess.run(environment, arguments);
    }

    private static Map<String, String> serving(CrashableDatabase database) {
        var environment = new HashMap<>(connection(database));
        environment.put("OKR_ENCRYPTION_KEY", OLD_KEY);
        environment.put("OKR_ENCRYPTION_KEYS_PREVIOUS", NEW_KEY);
        environment.put("OKR_WEBHOOKS_ALLOW_HTTP", "true");
        environment.put("OKR_WEBHOOKS_ALLOWED_NETWORKS", "127.0.0.1/32");
        return environment;
    }

    private static Map<String, String> connection(CrashableDatabase database) {
        return Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                database.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                CrashableDatabase.USERNAME,
                "QUARKUS_DATASOURCE_PASSWORD",
                "");
    }
}
