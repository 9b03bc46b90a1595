package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.okr.testing.CommandProcess;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.Program;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts and stops of the packaged service, as an operator sees them: environment, output and exit code. */
@Tag("waits")
class PackagedStartIT {
    private static final Duration MAX_WAIT = Duration.ofSeconds(90);
    private static final int PAUSE_MILLIS = 50;
    private static final Pattern ADDRESS = Pattern.compile("Swagger UI: (http://localhost:\\d+)/q/swagger-ui");
    private static final Pattern RETRY = Pattern.compile("(The start retries for up to 30 s)");
    private static final Pattern LISTENING = Pattern.compile("(Listening on)");
    private static final Pattern KEY = Pattern.compile("Demo API key: (okr_[0-9A-Za-z]+)");

    @TempDir
    Path folder;

    private final List<Service> services = new ArrayList<>();

    @AfterEach
    void stop() {
        services.forEach(service -> service.process.destroyForcibly());
        // The database stops shortly after the service, and then deletes its files.
        await(() -> !Files.exists(folder.resolve("data/postgresql/postmaster.pid")));
    }

    @Test
    void a_start_without_a_database_stops_at_once_and_says_what_to_set() {
        var service = start(Map.of());

        assertThat(service.exitCode()).isNotZero();
        assertThat(service.errors())
                .hasLineCount(1)
                .contains("QUARKUS_DATASOURCE_JDBC_URL", "OKR_EMBEDDED_DATABASE=true");
        assertThat(service.output()).hasLineCount(1).contains("\"level\":\"ERROR\"", "QUARKUS_DATASOURCE_JDBC_URL");
    }

    @Test
    void a_start_without_an_encryption_key_stops_at_once_and_says_how_to_create_one() throws IOException {
        try (var database = CrashableDatabase.start(folder.resolve("external"))) {
            var service = start(Map.of(
                    "QUARKUS_DATASOURCE_JDBC_URL",
                    database.jdbcUrl(),
                    "QUARKUS_DATASOURCE_USERNAME",
                    CrashableDatabase.USERNAME,
                    "QUARKUS_DATASOURCE_PASSWORD",
                    ""));

            assertThat(service.exitCode()).isNotZero();
            assertThat(service.errors()).hasLineCount(1).contains("OKR_ENCRYPTION_KEY", "openssl rand -base64 32");
        }
    }

    /** A standby of PostgreSQL behaves like this. */
    @Test
    void a_start_on_a_read_only_database_stops_at_once_and_says_so() throws IOException {
        try (var database = CrashableDatabase.start(folder.resolve("external"))) {
            var service = start(Map.of(
                    "QUARKUS_DATASOURCE_JDBC_URL",
                    database.jdbcUrl() + "&options=-c%20default_transaction_read_only=on",
                    "QUARKUS_DATASOURCE_USERNAME",
                    CrashableDatabase.USERNAME,
                    "QUARKUS_DATASOURCE_PASSWORD",
                    "",
                    "OKR_ENCRYPTION_KEY",
                    TestDatabase.ENCRYPTION_KEY));

            assertThat(service.exitCode()).isNotZero();
            assertThat(service.errors())
                    .hasLineCount(1)
                    .contains("QUARKUS_DATASOURCE_JDBC_URL", "targetServerType: primary");
        }
    }

    @Test
    void a_start_waits_for_an_unreachable_database() throws IOException {
        try (var database = CrashableDatabase.start(folder.resolve("external"))) {
            database.kill();
            var service = start(Map.of(
                    "QUARKUS_DATASOURCE_JDBC_URL",
                    database.jdbcUrl(),
                    "QUARKUS_DATASOURCE_USERNAME",
                    CrashableDatabase.USERNAME,
                    "QUARKUS_DATASOURCE_PASSWORD",
                    "",
                    "OKR_ENCRYPTION_KEY",
                    TestDatabase.ENCRYPTION_KEY));
            service.found(RETRY);
            database.restart();

            service.found(LISTENING);
            assertThat(RETRY.matcher(service.output()).results()).hasSize(1);
        }
    }

    @Test
    void a_start_with_an_unknown_host_name_stops_at_once_and_says_so() {
        var service = start(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                "jdbc:postgresql://nosuch.invalid:5432/okr",
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY));

        assertThat(service.exitCode()).isNotZero();
        assertThat(service.errors()).hasLineCount(1).contains("QUARKUS_DATASOURCE_JDBC_URL", "UnknownHostException");
        assertThat(service.output()).doesNotContainPattern(RETRY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://okr:s3cret@nosuch.invalid/okr",
                "jdbc:postgres://nosuch.invalid/okr?password=s3cret"
            })
    void a_wrong_url_of_the_database_is_not_printed_with_its_password(String url) {
        var environment = Map.of("QUARKUS_DATASOURCE_JDBC_URL", url, "OKR_ENCRYPTION_KEY", TestDatabase.ENCRYPTION_KEY);
        var service = start(environment);

        assertThat(service.exitCode()).isNotZero();
        assertThat(service.errors()).hasLineCount(1).contains("QUARKUS_DATASOURCE_JDBC_URL must ");
        assertThat(service.output()).contains("\"level\":\"ERROR\"").doesNotContain("s3cret", "stackTrace");

        var command = CommandProcess.run(environment, "organization", "list");

        assertThat(command.exitCode()).isNotZero();
        assertThat(command.output()).isEmpty();
        assertThat(command.errors())
                .contains("QUARKUS_DATASOURCE_JDBC_URL must ")
                .doesNotContain("s3cret");
    }

    @Test
    void an_invalid_organisation_file_stops_the_start_and_the_message_has_lines_but_no_token() throws IOException {
        var file = folder.resolve("organizations.yaml");
        Files.writeString(file, """
                organizations:
                  - slug: acme
                    name: Acme Corp
                    plan: business
                    users:
                      - email: ada@acme.test
                        name: Ada Lovelace
                        role: boss
                        api_keys:
                          - {name: ci, token: okr_secret}
                """);

        assumeThat(Program.isNative()).isFalse();
        var service = start(embedded(Map.of("OKR_BOOTSTRAP_FILE", file.toString())));

        assertThat(service.exitCode()).isNotZero();
        assertThat(service.errors()).isEqualTo("""
                        organizations.yaml line 8: role must be one of viewer, member, admin, not "boss"
                        organizations.yaml line 10: token does not have the format of an API key (okr_, 43 characters and their checksum)
                        """);
        assertThat(service.output()).doesNotContain("okr_secret", "exceptionType", "stackTrace");
    }

    @Test
    void one_process_uses_the_embedded_database_and_its_data_survive_a_kill() {
        assumeThat(Program.isNative()).isFalse();
        var demo = embedded(Map.of("OKR_DEMO", "true"));
        var first = start(demo);
        var user = first.ownUser();
        assertThat(user).contains("\"role\":\"admin\"");

        var second = start(demo);
        assertThat(second.exitCode()).isNotZero();
        assertThat(second.errors())
                .hasLineCount(1)
                .contains("is in use by another process (pid " + first.process.pid() + ")");

        // The watchdog is killed too, so that the database server keeps running.
        first.process.descendants().forEach(ProcessHandle::destroyForcibly);
        first.process.destroyForcibly();
        await(() -> !first.process.isAlive());

        var third = start(demo);
        assertThat(third.ownUser()).isEqualTo(user);
        assertThat(third.found(KEY)).isEqualTo(first.found(KEY));

        third.process.destroy();
        assertThat(third.exitCode()).isEqualTo(128 + 15);
        assertThat(third.errors()).isEmpty();
        // PostgreSQL removes its pid file before it logs this line.
        await(() -> readable(folder.resolve("data/postgresql.log")).contains("database system is shut down"));
        assertThat(folder.resolve("data/postgresql/postmaster.pid")).doesNotExist();
    }

    private Map<String, String> embedded(Map<String, String> more) {
        var environment = new HashMap<>(more);
        environment.put("OKR_EMBEDDED_DATABASE", "true");
        environment.put(
                "OKR_EMBEDDED_DATABASE_DIRECTORY", folder.resolve("data").toString());
        return environment;
    }

    private Service start(Map<String, String> environment) {
        var service = new Service(folder.resolve("service-" + services.size()), environment);
        services.add(service);
        return service;
    }

    private static void await(BooleanSupplier condition) {
        var deadline = System.nanoTime() + MAX_WAIT.toNanos();
        try {
            while (!condition.getAsBoolean()) {
                assertThat(System.nanoTime()).as("time").isLessThan(deadline);
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String readable(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One run of the packaged service. */
    private static final class Service {
        private final Path output;
        private final Path errors;
        private final Process process;

        Service(Path files, Map<String, String> environment) {
            output = files.resolveSibling(files.getFileName() + ".out");
            errors = files.resolveSibling(files.getFileName() + ".err");
            var builder = new ProcessBuilder(Program.command())
                    .redirectOutput(output.toFile())
                    .redirectError(errors.toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("QUARKUS_") || name.startsWith("OKR_"));
            builder.environment().putAll(environment);
            builder.environment().put("QUARKUS_HTTP_PORT", "0");
            try {
                process = builder.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int exitCode() {
            try {
                assertThat(process.waitFor(MAX_WAIT.toSeconds(), TimeUnit.SECONDS))
                        .as("end of the service, which said %s", output())
                        .isTrue();
                return process.exitValue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        String output() {
            return readable(output);
        }

        String errors() {
            return readable(errors);
        }

        /** Waits for a line in the output and returns its text. */
        String found(Pattern pattern) {
            await(() -> !process.isAlive() || pattern.matcher(output()).find());
            var match = pattern.matcher(output());
            assertThat(match.find())
                    .as("%s in %s%s", pattern, output(), errors())
                    .isTrue();
            return match.group(1);
        }

        /** Reads {@code /v1/users/me} with the printed key, at the printed address. */
        String ownUser() {
            var request = HttpRequest.newBuilder(URI.create(found(ADDRESS) + "/v1/users/me"))
                    .header("Authorization", "Bearer " + found(KEY))
                    .build();
            try (var http = HttpClient.newHttpClient()) {
                return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
