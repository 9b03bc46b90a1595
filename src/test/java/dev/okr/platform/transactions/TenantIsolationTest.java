package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class TenantIsolationTest {
    private static final String UNRESTRICTED =
            "SELECT title FROM objective WHERE id = '00000000-0000-0000-0000-000000000000'";

    @Inject
    DataSource database;

    @Test
    void sql_without_the_organisation_fails() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Sql.<Object, RuntimeException>transaction(
                        database, sql -> sql.list(row -> row.getString(1), UNRESTRICTED)))
                .withMessageContaining("restricts only 0 by organization_id");
    }

    @Test
    void a_native_query_of_hibernate_without_the_organisation_fails() {
        assertThatThrownBy(() -> QuarkusTransaction.requiringNew()
                        .run(() -> Panache.getSession()
                                .createNativeQuery(UNRESTRICTED, String.class)
                                .getResultList()))
                .hasStackTraceContaining("restricts only 0 by organization_id");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT organization_id, title FROM objective WHERE id = ?",
                "UPDATE cycle SET status = ? WHERE id = ?",
                "DELETE FROM check_in WHERE key_result_id = ?",
                "SELECT 1 FROM objective o JOIN key_result k ON k.objective_id = o.id WHERE o.organization_id = ?",
                "SELECT 1 FROM objective o, key_result k WHERE k.objective_id = o.id AND o.organization_id = ?",
                "DELETE FROM check_in c USING key_result k WHERE k.id = c.key_result_id AND c.organization_id = ?",
                "INSERT INTO team (id, name) VALUES (?, ?)"
            })
    void every_table_of_a_tenant_needs_its_own_restriction(String statement) {
        assertThatIllegalStateException().isThrownBy(() -> TenantIsolation.requireOrganization(statement));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // The organisation comes from another row.
                "SELECT 1 FROM cycle c JOIN objective o ON o.organization_id = c.organization_id WHERE c.organization_id = ?",
                "UPDATE cycle c SET name = d.name FROM due d WHERE c.organization_id = d.organization_id",
                // Locks over several organisations.
                "/* all organizations */ SELECT id FROM cycle WHERE starts_at < now() FOR NO KEY UPDATE SKIP LOCKED",
                "SELECT id FROM cycle WHERE organization_id = ANY (?) FOR UPDATE",
                "SELECT id FROM cycle WHERE organization_id IN (?, ?) FOR NO KEY UPDATE",
                // Writes to several organisations.
                "/* all organizations */ DELETE FROM event WHERE id < ?",
                "UPDATE cycle SET status = ? WHERE organization_id = ANY (?)",
                // Rows that are written in two phases.
                "INSERT INTO outbox (organization_id, event_id) SELECT o, e FROM unnest(?::uuid[], ?::uuid[]) r (o, e)",
                "WITH r AS (SELECT unnest(?::uuid[]) e) INSERT INTO outbox (organization_id, event_id) SELECT ?, e FROM r",
                // Citus does not support the subquery.
                "SELECT 1 FROM users u WHERE u.organization_id = ? AND EXISTS "
                        + "(SELECT 1 FROM team_member m WHERE m.organization_id = ? AND m.user_id = u.id)",
                "SELECT id FROM organization o WHERE id = ? AND NOT EXISTS (SELECT 1 FROM team WHERE organization_id = ?)",
                "SELECT id FROM users WHERE organization_id = ? AND id IN "
                        + "(SELECT owner_id FROM objective WHERE organization_id = ?)",
                "SELECT (WITH RECURSIVE up AS (SELECT 1 FROM alignment WHERE organization_id = ?) SELECT * FROM up) "
                        + "FROM users WHERE organization_id = ?",
                // Volatile functions in statements that write.
                "INSERT INTO event (organization_id, id) VALUES (?, uuid_v7(now()))",
                "UPDATE team SET id = gen_random_uuid() WHERE organization_id = ?",
                // Citus rejects a time that depends on a condition.
                "UPDATE import SET started_at = coalesce(started_at, now()) WHERE organization_id = ?",
                "UPDATE import SET started_at = CASE WHEN bytes > 0 THEN now() END WHERE organization_id = ?",
                // Citus rejects a sum of a column and an interval.
                "UPDATE cycle SET updated_at = updated_at + interval '1 day' WHERE organization_id = ?",
                // Citus crashes.
                "UPDATE team SET name = (?::text[])[1] WHERE organization_id = ?",
                "UPDATE team SET color = ?, name = (?::text[])[1] WHERE organization_id = ?"
            })
    void statements_that_a_distributed_schema_cannot_run_are_rejected(String statement) {
        assertThatIllegalStateException().isThrownBy(() -> TenantIsolation.requireOrganization(statement));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT title FROM objective WHERE organization_id = ? AND id = ?",
                "INSERT INTO team (organization_id, id, name) VALUES (?, ?, ?)",
                "SELECT 1 FROM objective o JOIN key_result k ON k.organization_id = ? WHERE o.organization_id = ?",
                "/* all organizations */ SELECT id FROM webhook",
                "SELECT id FROM cycle WHERE organization_id = ANY (?)",
                "UPDATE team SET name = ? WHERE organization_id = ? AND id = (?::uuid[])[1]",
                "UPDATE import SET lines = coalesce(lines, 0), finished_at = now() WHERE organization_id = ?",
                "WITH due AS (SELECT id, ends_at + interval '1 day' AS at FROM cycle WHERE organization_id = ?) "
                        + "UPDATE cycle c SET ends_at = due.at FROM due WHERE c.organization_id = ? AND c.id = due.id",
                "SELECT CASE WHEN ends_at < now() THEN 'over' END FROM cycle WHERE organization_id = ?",
                "UPDATE team SET color = ? WHERE organization_id = ? AND EXISTS (SELECT 1 FROM cycle WHERE organization_id = ?)",
                "INSERT INTO cycle_totals (organization_id, cycle_id) SELECT organization_id, id FROM cycle WHERE organization_id = ?",
                "/* all organizations */ SELECT id FROM users WHERE email = ? FOR UPDATE",
                "SELECT 1 FROM users u JOIN team t ON t.organization_id = ? WHERE u.organization_id = t.organization_id",
                "WITH r AS MATERIALIZED (WITH RECURSIVE up AS (SELECT 1 FROM alignment WHERE organization_id = ?) "
                        + "SELECT * FROM up) SELECT * FROM r, users u WHERE u.organization_id = ?",
                "SELECT slug FROM organization"
            })
    void statements_with_the_organisation_or_the_mark_are_accepted(String statement) {
        TenantIsolation.requireOrganization(statement);
    }

    @Test
    void the_set_of_tables_equals_the_schema() throws SQLException {
        var tables = Sql.<List<String>, RuntimeException>transaction(
                database, sql -> sql.list(row -> row.getString(1), """
                        SELECT table_name FROM information_schema.columns
                        WHERE table_schema = current_schema() AND column_name = 'organization_id'
                        """));

        // Each replica reads and writes the rows of rate_limit for all organisations.
        assertThat(tables)
                .containsAll(TenantIsolation.TABLES)
                .filteredOn(table -> !TenantIsolation.TABLES.contains(table))
                .containsExactly("rate_limit");
    }

    /** Read each statement of a new file with care before you add the file here. */
    @Test
    void only_these_classes_work_on_all_organisations() throws IOException {
        try (var files = Files.walk(Path.of("src/main/java"))) {
            var marked = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> read(file).contains(TenantIsolation.ALL_ORGANIZATIONS))
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());

            assertThat(marked)
                    .containsExactlyInAnyOrder(
                            "ApiKeyCache",
                            "ConsoleUser",
                            "ContributionFiller",
                            "CycleMover",
                            "DeletedObjectivePruner",
                            "DeliveryMetrics",
                            "DemoKey",
                            "Housekeeping",
                            "ImportJob",
                            "ImportedUsers",
                            "KeyCommand",
                            "LaneRepair",
                            "WordFiller",
                            "ProvisionedRows",
                            "StoredResponseSecrets",
                            "StoredResponses",
                            "TenantIsolation",
                            "Operations",
                            "TrialResource",
                            "Visits",
                            "WebhookSecrets",
                            "WebhookSecretsCommand");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
