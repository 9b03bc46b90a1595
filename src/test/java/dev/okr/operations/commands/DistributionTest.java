package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.okr.operations.commands.Distribution.Placed;
import dev.okr.platform.transactions.Sql;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The packaged tests run on a distributed schema with {@code -Dpackaged-tests.citus=true}. */
@QuarkusTest
class DistributionTest {
    @Inject
    DataSource database;

    @Test
    void every_table_has_its_place() throws SQLException {
        var tables = Sql.<List<String>, RuntimeException>transaction(
                database, sql -> sql.list(row -> row.getString(1), """
                        SELECT relname FROM pg_class
                        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
                            AND NOT relispartition AND relname <> 'flyway_schema_history'
                        """));

        var known = new ArrayList<>(Distribution.TABLES);
        known.addAll(Distribution.LOCAL_TABLES);
        assertThat(tables).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void a_database_without_the_extension_is_refused() {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> Distribution.run(database, 32, line -> {}))
                .withMessageContaining("has no extension citus");
    }

    @Test
    void a_layout_of_this_command_is_accepted() {
        Distribution.requireOwnLayout(List.of());
        Distribution.requireOwnLayout(Distribution.TABLES.stream()
                .map(table -> new Placed(table, true, "organization_id", 7))
                .toList());
    }

    @Test
    void other_layouts_are_refused() {
        var team = new Placed("team", true, "organization_id", 7);
        refuses("users must be a local table", team, new Placed("users", false, "", 8));
        refuses("cycle must be distributed by organization_id", team, new Placed("cycle", false, "", 8));
        refuses("cycle must be distributed by organization_id", team, new Placed("cycle", true, "id", 7));
        refuses("cycle and team must be co-located", team, new Placed("cycle", true, "organization_id", 8));
    }

    private static void refuses(String reason, Placed... layout) {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> Distribution.requireOwnLayout(List.of(layout)))
                .withMessageContaining(reason);
    }
}
