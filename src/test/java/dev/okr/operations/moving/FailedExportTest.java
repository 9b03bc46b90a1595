package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class FailedExportTest extends HttpTest {
    /** Their texts are larger than the buffers between the database and the client, even if they are compressed. */
    private static final int OBJECTIVES = 6_000;

    private static final int SMALL_BUFFER_BYTES = 4_096;

    private static final String BLOCKED = "FROM pg_stat_activity WHERE datname = current_database()"
            + " AND state = 'idle in transaction' AND state_change < now() - interval '1 second'"
            // Background work can wait in a transaction too.
            + " AND query LIKE 'SELECT e.id, e.external_id, e.title%'";

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void a_failed_export_ends_without_its_last_chunk(String encoding) throws Exception {
        TestDatabase.execute("""
                INSERT INTO objective (organization_id, id, title, description, owner_id, cycle_id, progress, status,
                    created_at, updated_at)
                SELECT ?, gen_random_uuid(), 'O', (SELECT string_agg(md5(random()::text || n || i), '')
                    FROM generate_series(1, 120) i), ?, ?, 0, 'on_track', now(), now()
                FROM generate_series(1, ?) n""", acme.id(), acme.adminUser().uuid(), IdKind.CYCLE.require(newCycle()), OBJECTIVES);
        try (var client = new Socket()) {
            client.setReceiveBufferSize(SMALL_BUFFER_BYTES);
            client.connect(new InetSocketAddress(service.getHost(), service.getPort()));
            client.getOutputStream()
                    .write(
                            "GET /v1/export HTTP/1.1\r\nHost: okr\r\nAuthorization: Bearer %s\r\nAccept-Encoding: %s\r\n\r\n"
                                    .formatted(acme.key(acme.adminUser().uuid()), encoding)
                                    .getBytes(StandardCharsets.US_ASCII));
            await(() -> TestDatabase.count("SELECT count(*) " + BLOCKED) == 1, () -> "no blocked export");
            TestDatabase.count("SELECT count(pg_terminate_backend(pid)) " + BLOCKED);
            var response = new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(response.substring(0, 12)).isEqualTo("HTTP/1.1 200");
            assertThat(response.endsWith("\r\n0\r\n\r\n")).isFalse();
        }
    }
}
