package dev.okr.objectives.cycles;

import static dev.okr.operations.provisioning.MigratedDatabase.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The totals of cycles during an upgrade. A migration counts existing objectives. Afterwards triggers count the changes
 * of the previous version. This version counts its own changes.
 */
class CycleTotalsTest {
    private static final List<String> BEFORE = List.of(
            """
            INSERT INTO organization (id, slug, name, plan, created_at)
            SELECT gen_random_uuid(), slug, slug, 'business', now() FROM unnest(ARRAY ['acme', 'other']) slug
            """,
            """
            INSERT INTO users (organization_id, id, email, name, role, created_at)
            SELECT id, gen_random_uuid(), slug || '@example.test', slug, 'admin', now() FROM organization
            """,
            """
            INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
            SELECT o.id, gen_random_uuid(), names.name, now(), now() + interval '1 day', 'active', now(), now()
            FROM organization o, unnest(ARRAY ['first', 'second', 'empty']) names (name)
            """,
            objectives("'acme'", "'first'", "0.5, 0.25, 0"),
            objectives("'acme'", "'second'", "1"),
            objectives("'other'", "'first'", "0.1"));

    private static final List<String> CHANGES = List.of(
            "UPDATE objective SET progress = 0.75 WHERE title = 'acme first 0.5'",
            "UPDATE objective SET title = 'renamed' WHERE title = 'acme first 0.25'",
            objectives("'acme'", "'second'", "0.125"),
            "DELETE FROM objective WHERE title = 'other first 0.1'",
            """
                UPDATE objective o SET progress = 0.2, cycle_id = c.id FROM cycle c
                WHERE o.title = 'acme first 0' AND c.organization_id = o.organization_id AND c.name = 'second'
                """,
            """
                UPDATE objective o SET cycle_id = c.id FROM cycle c
                WHERE o.title = 'acme second 1' AND c.organization_id = o.organization_id AND c.name = 'first'
                """);

    private static final String TOTALS = """
            /* all organizations */
            SELECT concat_ws(' ', o.slug, c.name, sum(t.objectives), trim_scale(sum(t.progress)))
            FROM cycle_totals t
            JOIN organization o ON o.id = t.organization_id
            JOIN cycle c ON c.organization_id = t.organization_id AND c.id = t.cycle_id
            GROUP BY o.slug, c.name ORDER BY o.slug, c.name
            """;

    private final DataSource database = MigratedDatabase.emptySchema();

    @BeforeEach
    void migrateWithObjectives() {
        flyway("5").migrate();
        BEFORE.forEach(statement -> execute(database, statement));
        flyway("latest").migrate();
    }

    @Test
    void the_migration_counts_existing_objectives() throws SQLException {
        assertThat(totals()).containsExactly("acme first 3 0.75", "acme second 1 1", "other first 1 0.1");
    }

    @Test
    void the_triggers_count_every_change_of_the_previous_version() throws SQLException {
        CHANGES.forEach(statement -> assertThat(execute(database, statement)).isPositive());

        assertThat(totals()).containsExactly("acme first 3 2", "acme second 2 0.325", "other first 0 0");
    }

    @Test
    void the_triggers_count_no_change_of_this_version() throws SQLException {
        execute(database, "BEGIN; SET LOCAL okr.cycle_totals = 'program';" + String.join(";", CHANGES) + "; COMMIT");

        assertThat(totals()).containsExactly("acme first 3 0.75", "acme second 1 1", "other first 1 0.1");
    }

    private static String objectives(String slug, String cycle, String progress) {
        return """
                INSERT INTO objective
                    (organization_id, id, title, owner_id, cycle_id, progress, status, created_at, updated_at)
                SELECT o.id, gen_random_uuid(), concat_ws(' ', o.slug, c.name, progress), u.id, c.id, progress,
                    'on_track', now(), now()
                FROM organization o
                JOIN users u ON u.organization_id = o.id
                JOIN cycle c ON c.organization_id = o.id AND c.name = %s, unnest(ARRAY [%s]) progress
                WHERE o.slug = %s
                """.formatted(cycle, progress, slug);
    }

    private Flyway flyway(String target) {
        return Flyway.configure()
                .dataSource(database)
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .target(target)
                .load();
    }

    private List<String> totals() throws SQLException {
        return Sql.transaction(database, sql -> sql.list(row -> row.getString(1), TOTALS));
    }
}
