package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.access.Token;
import dev.okr.testing.CommandProcess;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.Json;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the previous release on the schema of this one, as in an upgrade without downtime. Requires {@code
 * -Dprevious.jar=…/quarkus-run.jar}. Responses of the previous release are not checked against the contract, which may
 * be newer.
 */
@EnabledIfSystemProperty(named = "previous.jar", matches = ".+")
class PreviousReleaseIT {
    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private CrashableDatabase database;
    private Map<String, String> environment;
    private ServiceProcess previous;
    private ServiceProcess current;

    @BeforeEach
    void startPrevious() throws IOException {
        database = CrashableDatabase.start(folder);
        var organizations = OrganizationFile.write(folder, TOKEN);
        environment = Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                database.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                CrashableDatabase.USERNAME,
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY,
                "OKR_BOOTSTRAP_FILE",
                organizations.toString());
        previous = previous();
    }

    @AfterEach
    void stop() throws IOException {
        previous.close();
        if (current != null) {
            current.close();
        }
        database.close();
    }

    @Test
    void the_previous_release_starts_and_runs_beside_this_one_on_the_new_schema() {
        var cycle = create(previous, "/v1/cycles", Requests.cycle());
        var before = keyResult(previous, cycle);
        checkIn(previous, before, 5);

        var migration = CommandProcess.run(environment, "schema", "migrate");
        assertThat(migration.exitCode()).as(migration.errors()).isZero();
        checkIn(previous, before, 6);
        var meanwhile = keyResult(previous, cycle);
        checkIn(previous, meanwhile, 1);

        current = ServiceProcess.start(environment);
        checkIn(current, before, 8);
        checkIn(current, meanwhile, 2);
        checkIn(current, keyResult(current, cycle), 2);
        requireProgress(cycle, "0.4");

        previous.stop();
        previous = previous();
        checkIn(previous, before, 2);
        requireProgress(cycle, "0.2");
    }

    private ServiceProcess previous() {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return ServiceProcess.start(List.of(java, "-jar", System.getProperty("previous.jar")), environment);
    }

    private String keyResult(ServiceProcess service, String cycle) {
        var objective = create(service, "/v1/objectives", Requests.objective(cycle));
        return create(service, "/v1/objectives/" + objective + "/key-results", Requests.keyResult(0, 10));
    }

    private void checkIn(ServiceProcess service, String keyResult, int value) {
        create(service, "/v1/key-results/" + keyResult + "/check-ins", Requests.checkIn(value));
    }

    /** Both releases return the progress that follows from the changes of both. */
    private void requireProgress(String cycle, String expected) {
        for (var service : List.of(previous, current)) {
            var progress = send(service, "GET", "/v1/cycles/" + cycle, "", 200).get("overall_progress");
            assertThat(progress.decimalValue()).isEqualByComparingTo(new BigDecimal(expected));
        }
    }

    private String create(ServiceProcess service, String path, Object body) {
        return send(service, "POST", path, Json.write(body), 201).get("id").textValue();
    }

    private JsonNode send(ServiceProcess service, String method, String path, String body, int expected) {
        var request = HttpRequest.newBuilder(service.uri().resolve(path))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            var response = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(expected);
            return MAPPER.readTree(response.body()).get("data");
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
