package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.testing.ServerErrors;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Searches and visits while workers of a distributed schema are unreachable. One database simulates the coordinator and
 * the workers. It reports errors for rows of unreachable workers, as Citus does.
 */
class OrganizationSearchTest {
    private static final UUID FIRST = organization(0);

    /** Six organisations. The column {@code worker} has the number of the worker of each. */
    private static final String SCHEMA = """
            CREATE TABLE organization (id uuid, worker int);
            INSERT INTO organization SELECT ('00000000-0000-0000-0000-00000000000' || id)::uuid, worker
            FROM (VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 1), (6, 3)) o (id, worker);
            CREATE TABLE down (worker int);
            CREATE VIEW pg_dist_placement AS SELECT DISTINCT worker AS shardid, worker AS groupid FROM organization;
            CREATE FUNCTION get_shard_id_for_distribution_column(name text, organization uuid) RETURNS int
            RETURN (SELECT worker FROM organization o WHERE o.id = organization);
            CREATE FUNCTION is_read(organization uuid) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                IF EXISTS (SELECT 1 FROM down d JOIN organization o USING (worker) WHERE o.id = organization) THEN
                    RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
                END IF;
                RETURN true;
            END $$;
            CREATE VIEW team AS SELECT id AS organization_id, id FROM organization WHERE is_read(id)
            """;

    private final DataSource database = MigratedDatabase.emptySchema();
    private final Workers workers = new Workers(database);
    private final OrganizationSearch search = new OrganizationSearch(database, workers);
    private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();

    @BeforeEach
    void createSchema() {
        MigratedDatabase.execute(database, SCHEMA);
        workers.bindTo(metrics);
    }

    @Test
    void a_search_leaves_out_the_organisations_of_an_unreachable_worker_until_it_is_back() throws SQLException {
        assertThat(found()).hasSize(6);
        stop(2);
        assertThat(found()).containsExactlyInAnyOrder(1, 2, 5, 6);
        assertThat(unreachableWorkers()).isEqualTo(1);

        workers.testUnreachable();
        assertThat(unreachableWorkers()).isEqualTo(1);
        startAll();
        assertThat(found()).as("without a test of the worker").hasSize(4);
        workers.testUnreachable();
        assertThat(found()).hasSize(6);
        assertThat(unreachableWorkers()).isZero();
    }

    @Test
    void the_pages_of_a_search_contain_each_organisation_once_if_a_worker_is_unreachable() throws SQLException {
        stop(3);
        var found = new ArrayList<Integer>();
        var next = Optional.of(FIRST);
        while (next.isPresent()) {
            var after = next.get();
            var page = search.page((sql, condition) -> find(sql, condition, after, 2), 2, Optional::of);
            page.rows().forEach(organization -> found.add(number(organization)));
            next = page.last();
        }
        assertThat(found).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
    }

    @Test
    void a_failed_visit_ends_the_visits_of_other_organisations_of_an_unreachable_worker() throws SQLException {
        stop(1);
        var started = visitAll();
        assertThat(started).containsExactly(1, 3, 4, 6);
        assertThat(unreachableWorkers()).isEqualTo(1);
    }

    @Test
    void a_slow_organisation_does_not_end_the_visits_of_others_on_its_worker() throws SQLException {
        var slow = search.visit(organization(1), () -> {
            throw ServerErrors.of("57014");
        });
        assertThat(slow).isEmpty();
        assertThat(visitAll()).hasSize(6);
    }

    @Test
    void an_unavailable_database_ends_the_visits() {
        var away = new PGSimpleDataSource();
        away.setServerNames(new String[] {"127.0.0.1"});
        away.setPortNumbers(new int[] {1});
        assertThatThrownBy(() -> new OrganizationSearch(away).visit(organization(1), away::getConnection))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void a_busy_pool_makes_no_worker_unreachable() {
        assertThatThrownBy(() -> search.run((sql, condition) -> {
                    throw new SQLException("Acquisition timeout while waiting for new connection");
                }))
                .hasMessageContaining("Acquisition timeout");
        assertThat(unreachableWorkers()).isZero();
    }

    @Test
    void a_slow_search_makes_no_worker_unreachable() throws SQLException {
        var found = search.run((sql, condition) -> {
            throw ServerErrors.of("57014");
        });
        assertThat(found).isEmpty();
        assertThat(unreachableWorkers()).isZero();
        assertThat(found()).hasSize(6);
    }

    @Test
    void a_failed_search_is_reported_if_no_table_is_distributed() {
        MigratedDatabase.execute(
                database,
                "CREATE OR REPLACE VIEW pg_dist_placement AS"
                        + " SELECT worker AS shardid, worker AS groupid FROM organization WHERE false");
        assertThatThrownBy(() -> search.run((sql, condition) -> {
                    throw ServerErrors.of("08006");
                }))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Verbindung");
    }

    /** Visits all organisations. Returns those whose work was started. */
    private List<Integer> visitAll() throws SQLException {
        var started = new ArrayList<Integer>();
        for (int i = 1; i <= 6; i++) {
            var number = i;
            search.visit(organization(i), () -> {
                started.add(number);
                try (var connection = database.getConnection()) {
                    return new Sql(connection)
                            .first(
                                    row -> number,
                                    "SELECT id FROM team WHERE organization_id = ?",
                                    organization(number));
                }
            });
        }
        return started;
    }

    private List<Integer> found() throws SQLException {
        return search.run((sql, condition) -> find(sql, condition, FIRST, 10)).stream()
                .map(OrganizationSearchTest::number)
                .toList();
    }

    private static List<UUID> find(Sql sql, String condition, UUID after, int limit) throws SQLException {
        return sql.list(
                row -> Sql.uuid(row, "organization_id"),
                "/* all organizations */ SELECT organization_id FROM team WHERE " + condition
                        + " organization_id > ? ORDER BY organization_id LIMIT ?",
                after,
                limit);
    }

    private double unreachableWorkers() {
        return metrics.get("okr.database.workers.unreachable").gauge().value();
    }

    private void stop(int worker) {
        MigratedDatabase.execute(database, "INSERT INTO down VALUES (?)", worker);
    }

    private void startAll() {
        MigratedDatabase.execute(database, "DELETE FROM down");
    }

    private static UUID organization(int number) {
        return new UUID(0, number);
    }

    private static int number(UUID organization) {
        return (int) organization.getLeastSignificantBits();
    }
}
