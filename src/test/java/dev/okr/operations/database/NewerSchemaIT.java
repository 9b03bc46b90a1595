package dev.okr.operations.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.CommandProcess;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service with a schema that a newer version has migrated. */
@Tag("waits")
class NewerSchemaIT {
    private static final String LATER = """
            INSERT INTO flyway_schema_history
                (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
            SELECT max(installed_rank) + 1, '9999', 'later', 'SQL', 'V9999__later.sql', 1, current_user, 1, true
            FROM flyway_schema_history
            """;

    @TempDir
    private Path folder;

    @Test
    void a_newer_schema_is_not_changed_and_the_service_starts() throws IOException {
        try (var database = CrashableDatabase.start(folder)) {
            var environment = Map.of(
                    "QUARKUS_DATASOURCE_JDBC_URL",
                    database.jdbcUrl(),
                    "QUARKUS_DATASOURCE_USERNAME",
                    CrashableDatabase.USERNAME,
                    "OKR_ENCRYPTION_KEY",
                    TestDatabase.ENCRYPTION_KEY);
            migrate(environment);
            database.run(LATER);

            assertThat(migrate(environment)).contains("9999");
            try (var service = ServiceProcess.start(environment)) {
                assertThat(service.status("/q/health/ready")).isEqualTo(200);
            }
        }
    }

    private static String migrate(Map<String, String> environment) {
        var outcome = CommandProcess.run(environment, "schema", "migrate");
        assertThat(outcome.exitCode()).as(outcome.errors()).isZero();
        return outcome.errors();
    }
}
