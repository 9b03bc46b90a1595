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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged service is killed at random moments of an import, with its own database. */
@Tag("waits")
class ImportCrashIT {
    private static final int KILLS = 10;
    private static final int OBJECTIVES = 1_500;
    private static final int MAX_MILLIS = 6_000;
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
        return ServiceProcess.start(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL",
                database.jdbcUrl(),
                "QUARKUS_DATASOURCE_USERNAME",
                "postgres",
                "QUARKUS_DATASOURCE_PASSWORD",
                "",
                "OKR_ENCRYPTION_KEY",
                TestDatabase.ENCRYPTION_KEY,
                "OKR_RATE_LIMIT_REQUESTS_PER_MINUTE",
                "0",
                "OKR_BOOTSTRAP_FILE",
                OrganizationFile.in(folder).toString()));
    }
}
