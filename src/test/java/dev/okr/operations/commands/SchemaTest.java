package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.transactions.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.Test;

class SchemaTest {
    private static final MigrationVersion FIVE = MigrationVersion.fromVersion("5");

    private static final String OF_TOMORROW = """
            INSERT INTO flyway_schema_history
                (installed_rank, version, description, type, script, installed_by, execution_time, success)
            VALUES (99, '99', 'of tomorrow', 'SQL', 'V99__of_tomorrow.sql', 'postgres', 0, true)
            """;

    @Test
    void only_the_schema_version_of_this_program_is_accepted() {
        assertThat(Schema.problem(FIVE, FIVE)).isNull();
        assertThat(Schema.problem(null, FIVE)).contains("organization create");
        assertThat(Schema.problem(MigrationVersion.fromVersion("4"), FIVE))
                .contains("has version 4", "needs 5", "Start this version of the service or run `schema migrate`");
        assertThat(Schema.problem(MigrationVersion.fromVersion("10"), FIVE))
                .contains("has version 10", "needs 5", "Use the same version of the program");
    }

    @Test
    void an_older_schema_is_rejected_and_not_changed() throws Exception {
        var database = MigratedDatabase.emptySchema();
        flyway(database).target("1").load().migrate();

        assertRefused(database, "has version 1", "Start this version of the service or run `schema migrate` first");

        assertThat(tables(database)).contains("organization").doesNotContain("audit_entry");
    }

    @Test
    void a_newer_schema_is_rejected() throws Exception {
        var database = MigratedDatabase.emptySchema();
        flyway(database).load().migrate();
        execute(database, OF_TOMORROW);

        assertRefused(database, "has version 99", "Use the same version of the program as the service");
    }

    @Test
    void only_commands_that_start_an_installation_create_a_schema() throws Exception {
        var database = MigratedDatabase.emptySchema();

        assertThatThrownBy(() -> schema(database).require(false)).hasMessageContaining("no schema");
        assertThat(tables(database)).isEmpty();

        schema(database).require(true);
        schema(database).require(false);
        assertThat(tables(database)).contains("organization", "audit_entry");
    }

    @Test
    void a_migration_upgrades_any_older_schema_and_does_not_change_a_newer_one() throws Exception {
        var database = MigratedDatabase.emptySchema();
        flyway(database).target("1").load().migrate();

        var first = schema(database).migrate();
        assertThat(first.steps()).isPositive();
        assertThat(first.version()).isEqualTo(first.newest());
        assertThat(schema(database).migrate().steps()).isZero();

        execute(database, OF_TOMORROW);
        var older = schema(database).migrate();
        assertThat(older.steps()).isZero();
        assertThat(older.version()).isEqualTo(MigrationVersion.fromVersion("99"));
    }

    @Test
    void addresses_that_become_equal_are_reported_and_do_not_stop_the_migration() throws Exception {
        var database = MigratedDatabase.emptySchema();
        flyway(database).target("9").load().migrate();
        // Some locales fold ASCII letters in another way. There the old index accepts addresses that are equal now.
        execute(database, "DROP INDEX users_email");
        execute(
                database,
                "INSERT INTO organization (id, slug, name, plan, created_at)"
                        + " VALUES ('00000000-0000-0000-0000-000000000001', 'a', 'A', 'business', now())");
        for (var user : List.of("2', 'INA@acme.test", "3', 'ina@acme.test")) {
            execute(
                    database,
                    "INSERT INTO users (organization_id, id, email, name, role, created_at) VALUES"
                            + " ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-00000000000" + user
                            + "', 'Ina', 'admin', now())");
        }

        assertThat(warning(database, "V10__email_case.sql"))
                .contains("00000000-0000-0000-0000-000000000002, 00000000-0000-0000-0000-000000000003");

        var migrated = schema(database).migrate();
        assertThat(migrated.version()).isEqualTo(migrated.newest());
    }

    @Test
    void concurrent_migrations_run_each_step_once() throws Exception {
        int all = schema(MigratedDatabase.emptySchema()).migrate().steps();
        var database = MigratedDatabase.emptySchema();

        var steps = new ConcurrentLinkedQueue<Integer>();
        try (var replicas = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                replicas.execute(() -> steps.add(migrateLikeReplica(database)));
            }
        }

        // Flyway locks each step, so two concurrent migrations may share the steps.
        assertThat(steps).hasSize(4);
        assertThat(steps.stream().mapToInt(Integer::intValue).sum()).isEqualTo(all);
        schema(database).require(false);
    }

    /**
     * Flyway fails if it finds the history of another migration before its first row. Kubernetes starts such a replica
     * again.
     */
    private static int migrateLikeReplica(DataSource database) {
        try {
            return schema(database).migrate().steps();
        } catch (FlywayException historyIsEmpty) {
            return schema(database).migrate().steps();
        }
    }

    @Test
    void no_command_creates_a_schema_beside_other_tables() throws Exception {
        var database = MigratedDatabase.emptySchema();
        execute(database, "CREATE TABLE somebody_s (id integer)");

        assertThatThrownBy(() -> schema(database).require(true))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("other tables");

        assertThat(tables(database)).isEqualTo("somebody_s");
    }

    private static void assertRefused(DataSource database, String... words) {
        for (boolean install : new boolean[] {false, true}) {
            assertThatThrownBy(() -> schema(database).require(install))
                    .isInstanceOf(CommandFailure.class)
                    .message()
                    .contains(words);
        }
    }

    private static Schema schema(DataSource database) {
        return new Schema(flyway(database).load());
    }

    /** The same configuration as in the service. */
    private static FluentConfiguration flyway(DataSource database) {
        return Flyway.configure().dataSource(database).baselineOnMigrate(true).baselineVersion("0");
    }

    private static String tables(DataSource database) throws SQLException {
        return Sql.transaction(
                database,
                sql -> sql.first(
                                row -> row.getString(1),
                                "SELECT coalesce(string_agg(relname, ' ' ORDER BY relname), '') FROM pg_class"
                                        + " WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'")
                        .orElseThrow());
    }

    /** The warning of a migration, which is rolled back. */
    private static String warning(DataSource database, String migration) throws Exception {
        try (var connection = database.getConnection();
                var statement = connection.createStatement();
                var script = SchemaTest.class.getResourceAsStream("/db/migration/" + migration)) {
            connection.setAutoCommit(false);
            statement.execute(new String(script.readAllBytes(), StandardCharsets.UTF_8));
            return statement.getWarnings().getMessage();
        }
    }

    private static void execute(DataSource database, String statement) throws SQLException {
        Sql.transaction(database, sql -> sql.update("/* all organizations */ " + statement));
    }
}
