package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.platform.transactions.Sql;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.delivery.TestClock;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports of commands, and the order of the imports of an organisation. */
@QuarkusTest
class CommandImportTest extends HttpTest {
    private static final int MAX_SECONDS = 30;
    private static final byte[] FILE =
            Moving.file(Moving.line("team", "id", "t1", "name", "Growth")).getBytes(StandardCharsets.UTF_8);

    @Inject
    TestClock clock;

    @Inject
    CommandImport command;

    @Inject
    ImportStore store;

    @Inject
    ImportJob job;

    @Test
    void a_command_waits_for_other_imports_however_long_they_take() throws Exception {
        var other = running();
        var waiting = start();
        TestDatabase.execute("UPDATE import SET created_at = '2020-01-01' WHERE id = ?", waiting.id);
        job.prune();
        finish(other);
        var result = waiting.result.get(MAX_SECONDS, TimeUnit.SECONDS);
        assertThat(result.status()).isEqualTo(ImportStatus.SUCCEEDED);
        assertThat(result.created()).isOne();
    }

    @Test
    void a_command_ends_if_its_import_is_deleted() throws Exception {
        var other = running();
        var waiting = start();
        TestDatabase.execute("DELETE FROM import WHERE id = ?", waiting.id);
        assertThatThrownBy(() -> waiting.result.get(MAX_SECONDS, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .rootCause()
                .hasMessageContaining("interrupted");
        finish(other);
    }

    @Test
    void an_organisation_has_one_running_import_even_if_an_older_upload_arrives_later() throws Exception {
        var options = new ImportOptions(false, false, true, false);
        var older = store.begin(acme.id(), acme.adminUser().uuid(), options);
        var running = running();
        TestDatabase.execute("UPDATE import SET status = 'pending' WHERE id = ?", older);
        assertThat(store.claim(acme.id())).isEmpty();
        finish(running);
        assertThat(store.claim(acme.id()).orElseThrow().id()).isEqualTo(older);
        finish(older);
    }

    @Test
    void the_transaction_of_an_expired_lease_is_ended_and_no_other_one() throws Exception {
        try (var frozen = transaction();
                var other = transaction()) {
            var id = store.begin(acme.id(), acme.adminUser().uuid(), new ImportOptions(false, false, true, false));
            runIn(frozen, id, Duration.ofMinutes(-1));
            // The job may claim it first.
            store.claim(acme.id());
            await(() -> !frozen.isOpen(), () -> "the end of the transaction");
            assertThat(other.isOpen()).isTrue();

            // The owner is alive.
            runIn(other, id, Duration.ofMinutes(1));
            assertThat(store.claim(acme.id())).isEmpty();

            // The connection runs another transaction now.
            other.connection.commit();
            other.begin();
            TestDatabase.execute("UPDATE import SET lease_until = now() - interval '1 second' WHERE id = ?", id);
            store.claim(acme.id());
            LockSupport.parkNanos(Duration.ofMillis(500).toNanos());
            assertThat(other.isOpen()).isTrue();
            finish(id);
        }
    }

    @Test
    void an_import_remembers_its_transaction() throws Exception {
        var id = running();
        try (var transaction = transaction()) {
            assertThat(store.remember(claimOf(id), new Sql(transaction.connection)))
                    .isTrue();
            TestDatabase.execute("UPDATE import SET lease_until = now() - interval '1 second' WHERE id = ?", id);
            store.claim(acme.id());
            await(() -> !transaction.isOpen(), () -> "the end of the transaction");
        }
        // The lease is lost.
        try (var transaction = transaction()) {
            assertThat(store.remember(claimOf(id), new Sql(transaction.connection)))
                    .isFalse();
        }
        finish(id);
    }

    /** The claim of {@link #running}. */
    private ImportStore.Claim claimOf(UUID id) {
        return new ImportStore.Claim(
                acme.id(), id, id, acme.adminUser().uuid(), false, false, true, false, FILE.length, 1);
    }

    /** An open transaction. */
    private record Transaction(Connection connection, int backend) implements AutoCloseable {
        void begin() throws SQLException {
            new Sql(connection).list(row -> true, "SELECT 1");
        }

        boolean isOpen() {
            return TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE pid = ?", backend) == 1;
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }

    private static Transaction transaction() throws SQLException {
        var connection = TestDatabase.connect();
        connection.setAutoCommit(false);
        int backend = new Sql(connection)
                .first(row -> row.getInt(1), "SELECT pg_backend_pid()")
                .orElseThrow();
        return new Transaction(connection, backend);
    }

    /** An import that a replica runs in a transaction, with a lease that ends after some time. */
    private static void runIn(Transaction transaction, UUID id, Duration lease) {
        TestDatabase.execute(
                "UPDATE import SET status = 'running', lease = ?, lease_until = now() + ?::interval,"
                        + " backend = ?, transaction_at = (SELECT xact_start FROM pg_stat_activity WHERE pid = ?)"
                        + " WHERE id = ?",
                UUID.randomUUID(),
                lease.toString(),
                transaction.backend,
                transaction.backend,
                id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_prunes_imports_by_the_clock_of_the_database(Duration error) {
        var upload = finished("uploading", "30 minutes");
        var result = finished("succeeded", "29 days");
        var oldUpload = finished("uploading", "2 hours");
        var oldResult = finished("succeeded", "31 days");
        var dryRun = finished("succeeded", "30 minutes");
        TestDatabase.execute("UPDATE import SET dry_run = true, bytes = 1 WHERE id = ?", dryRun);
        clock.err(error);
        try {
            job.prune();
        } finally {
            clock.reset();
        }
        for (var kept : List.of(upload, result, dryRun)) {
            assertThat(TestDatabase.count("SELECT count(*) FROM import WHERE id = ?", kept))
                    .isOne();
        }
        for (var old : List.of(oldUpload, oldResult)) {
            assertThat(TestDatabase.count("SELECT count(*) FROM import WHERE id = ?", old))
                    .isZero();
        }
        assertThat(TestDatabase.count("SELECT bytes FROM import WHERE id = ?", dryRun))
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "PT-1H"})
    void a_replica_whose_clock_is_wrong_dates_imports_by_the_clock_of_the_database(Duration error) throws Exception {
        clock.err(error);
        try {
            var id = store.begin(acme.id(), acme.adminUser().uuid(), new ImportOptions(false, false, true, false));
            assertThat(TestDatabase.count(
                            "SELECT count(*) FROM import WHERE id = ?"
                                    + " AND created_at BETWEEN now() - interval '30 minutes' AND now()",
                            id))
                    .isOne();
        } finally {
            clock.reset();
        }
    }

    /** An import that was created some time ago. */
    private UUID finished(String status, String ago) {
        var id = store.begin(acme.id(), acme.adminUser().uuid(), new ImportOptions(false, false, true, false));
        TestDatabase.execute(
                "UPDATE import SET status = ?, created_at = now() - ?::interval, finished_at = now() - ?::interval"
                        + " WHERE id = ?",
                status,
                ago,
                ago,
                id);
        return id;
    }

    private record Waiting(UUID id, CompletableFuture<ImportResponse> result) {}

    /** An import that another process runs. */
    private UUID running() {
        var id = store.begin(acme.id(), acme.adminUser().uuid(), new ImportOptions(false, false, true, false));
        TestDatabase.execute(
                "UPDATE import SET status = 'running', lease = id, lease_until = '2100-01-01' WHERE id = ?", id);
        return id;
    }

    private static void finish(UUID id) {
        TestDatabase.execute("UPDATE import SET status = 'failed', lease = NULL, lease_until = NULL WHERE id = ?", id);
    }

    /** Starts a command, and waits until its file is stored. */
    private Waiting start() {
        var result = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return command.run(
                                acme.id(),
                                acme.adminUser().uuid(),
                                false,
                                false,
                                false,
                                new ByteArrayInputStream(FILE),
                                done -> {});
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                Thread::startVirtualThread);
        var deadline = Instant.now().plusSeconds(MAX_SECONDS);
        while (TestDatabase.count("SELECT count(*) FROM import_piece WHERE organization_id = ?", acme.id()) == 0) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
        // The command has seen once that it must wait.
        LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        return new Waiting(id(), result);
    }

    private UUID id() {
        try (var connection = TestDatabase.connect();
                var select =
                        connection.prepareStatement("SELECT import_id FROM import_piece WHERE organization_id = ?")) {
            select.setObject(1, acme.id());
            try (var rows = select.executeQuery()) {
                rows.next();
                return rows.getObject(1, UUID.class);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
