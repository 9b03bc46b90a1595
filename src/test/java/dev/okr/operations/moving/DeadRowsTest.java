package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusMock;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether imports and exports end before the dead rows of the queue make the webhooks of others late. */
@QuarkusTest
class DeadRowsTest extends HttpTest {
    private static final int MAX_ROWS = 5_000;
    private static final String FILE = Moving.file(Moving.CYCLE);

    @Inject
    AgroalDataSource database;

    @BeforeEach
    void clean() throws SQLException {
        assumeFalse(TestDatabase.isDistributed(), "the coordinator has no counters of the workers");
        // The server can end a closed transaction a little later.
        try (var connection = TestDatabase.connect()) {
            await(
                    () -> {
                        vacuum(connection);
                        return deadRows() <= MAX_ROWS;
                    },
                    () -> "dead rows");
        }
    }

    private static void vacuum(Connection connection) {
        try (var statement = connection.createStatement()) {
            statement.execute("VACUUM outbox, delivery_pending, delivery_lane");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long deadRows() {
        return TestDatabase.count("SELECT sum(pg_stat_get_dead_tuples(each::regclass))"
                + " FROM unnest(ARRAY['outbox', 'delivery_pending', 'delivery_lane']) each");
    }

    private void limit(Duration minDuration) {
        QuarkusMock.installMockForType(new DeadRows(database, minDuration, MAX_ROWS), DeadRows.class);
    }

    /** One transaction writes the rows and deletes them. The poller never sees them. */
    private void killRows() throws SQLException {
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            try (var insert = connection.prepareStatement("INSERT INTO outbox (organization_id, event_id, type)"
                            + " SELECT ?, gen_random_uuid(), 'x.y' FROM generate_series(1, ?)");
                    var delete = connection.prepareStatement("DELETE FROM outbox WHERE type = 'x.y'")) {
                insert.setObject(1, acme.id());
                insert.setInt(2, MAX_ROWS + 1);
                insert.executeUpdate();
                delete.executeUpdate();
            }
            connection.commit();
        }
        await(() -> deadRows() > MAX_ROWS, () -> "no dead rows");
    }

    private String importFile() {
        return Moving.run(admin, "?dry_run=true", FILE).text("status");
    }

    @Test
    void an_import_ends_if_it_keeps_too_many_dead_rows() throws Exception {
        limit(Duration.ZERO);
        assertThat(importFile()).isEqualTo("succeeded");
        try (var open = openTransaction()) {
            killRows();
            var failed = Moving.run(admin, "", FILE);
            assertThat(failed.text("status")).isEqualTo("failed");
            assertThat(failed.toString()).contains("unavailable", "Split the file");
        }
        clean();
        assertThat(importFile()).isEqualTo("succeeded");
    }

    @Test
    void an_export_ends_if_it_keeps_too_many_dead_rows() throws Exception {
        limit(Duration.ZERO);
        Moving.export(admin);
        try (var open = openTransaction()) {
            killRows();
            assertThatThrownBy(() -> Moving.export(admin)).hasRootCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void a_short_import_or_export_does_not_end() throws Exception {
        limit(Duration.ofMinutes(1));
        try (var open = openTransaction()) {
            killRows();
            assertThat(importFile()).isEqualTo("succeeded");
            Moving.export(admin);
        }
    }

    /** Keeps dead rows, as a long import does. */
    private static Connection openTransaction() throws SQLException {
        var connection = TestDatabase.connect();
        connection.setAutoCommit(false);
        connection.createStatement().execute("CREATE TEMPORARY TABLE kept (id int) ON COMMIT DROP");
        return connection;
    }
}
