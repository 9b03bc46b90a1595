package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Browser;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class FailedExportTest extends HttpTest {
    /** Their texts are larger than the buffers between the database and the client, even if they are compressed. */
    private static final int OBJECTIVES = 6_000;

    private static final int SMALL_BUFFER_BYTES = 4_096;

    /** Larger, so that the client reads fast after the export was blocked. */
    private static final int BUFFER_BYTES = 65_536;

    private static final byte[] OK = "HTTP/1.1 200".getBytes(StandardCharsets.US_ASCII);

    private static final String BLOCKED = "FROM pg_stat_activity WHERE datname = current_database()"
            + " AND state = 'idle in transaction' AND state_change < now() - interval '1 second'"
            // Background work can wait in a transaction too.
            + " AND query LIKE 'SELECT e.id, e.external_id, e.title%'";

    private static final int BYTES_OF_DESCRIPTION = 120 * 32;

    /** After the client has read this much, the rest of the export still fills the buffers. */
    private static final int PART_BYTES = OBJECTIVES * BYTES_OF_DESCRIPTION / 3;

    /** A revocation must take effect within this time. */
    private static final Duration MAX_VALID = Duration.ofSeconds(5);

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip"})
    void a_failed_export_ends_without_its_last_chunk(String encoding) throws Exception {
        try (var client =
                blockedExport("/v1/export", bearer(acme.key(acme.adminUser().uuid())), encoding)) {
            TestDatabase.count("SELECT count(pg_terminate_backend(pid)) " + BLOCKED);
            assertEnds(client);
        }
    }

    @Test
    @Tag("waits")
    void an_export_ends_after_its_key_was_revoked() throws Exception {
        var token = acme.key(acme.adminUser().uuid());
        try (var client = blockedExport("/v1/export", bearer(token), "identity")) {
            TestDatabase.execute(
                    "UPDATE api_key SET revoked_at = now() WHERE token_hash = ?", (Object) Token.hash(token));
            Thread.sleep(MAX_VALID);
            assertEnds(client);
        }
    }

    @Test
    void an_export_of_the_console_continues_after_a_rename_and_ends_after_a_demotion() throws Exception {
        var cookies = Browser.signedIn(service, acme.adminUser().email()).cookies();
        try (var client = blockedExport("/settings/data/export", "Cookie: " + cookies, "identity")) {
            TestDatabase.execute("UPDATE organization SET plan = 'free', name = 'Renamed' WHERE id = ?", acme.id());
            assertThat(client.getInputStream().readNBytes(PART_BYTES)).hasSize(PART_BYTES);
            awaitBlocked();
            TestDatabase.execute(
                    "UPDATE users SET role = 'member' WHERE organization_id = ? AND id = ?",
                    acme.id(),
                    acme.adminUser().uuid());
            assertEnds(client);
        }
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    /** Starts an export and returns when it is blocked because the client does not read. */
    private Socket blockedExport(String path, String header, String encoding) throws IOException {
        TestDatabase.execute("""
                INSERT INTO objective (organization_id, id, title, description, owner_id, cycle_id, progress, status,
                    created_at, updated_at)
                SELECT ?, gen_random_uuid(), 'O', (SELECT string_agg(md5(random()::text || n || i), '')
                    FROM generate_series(1, 120) i), ?, ?, 0, 'on_track', now(), now()
                FROM generate_series(1, ?) n""", acme.id(), acme.adminUser().uuid(), IdKind.CYCLE.require(newCycle()), OBJECTIVES);
        var client = new Socket();
        client.setReceiveBufferSize(SMALL_BUFFER_BYTES);
        client.connect(new InetSocketAddress(service.getHost(), service.getPort()));
        client.getOutputStream()
                .write("GET %s HTTP/1.1\r\nHost: okr\r\n%s\r\nAccept-Encoding: %s\r\n\r\n"
                        .formatted(path, header, encoding)
                        .getBytes(StandardCharsets.US_ASCII));
        awaitBlocked();
        client.setReceiveBufferSize(BUFFER_BYTES);
        assertThat(client.getInputStream().readNBytes(OK.length)).isEqualTo(OK);
        return client;
    }

    private void awaitBlocked() {
        await(() -> TestDatabase.count("SELECT count(*) " + BLOCKED) == 1, () -> "no blocked export");
    }

    /** Asserts that the response ends early and without the last chunk. */
    private static void assertEnds(Socket client) throws IOException {
        var response = new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        assertThat(response.length()).isLessThan(OBJECTIVES * BYTES_OF_DESCRIPTION / 2);
        assertThat(response.endsWith("\r\n0\r\n\r\n")).isFalse();
    }
}
