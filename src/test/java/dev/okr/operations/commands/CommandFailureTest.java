package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.operations.provisioning.MigratedDatabase;
import dev.okr.platform.transactions.Sql;
import io.quarkus.runtime.configuration.ConfigurationException;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CommandFailureTest {

    @Test
    void the_values_of_a_row_are_not_in_the_message() {
        var id = UUID.randomUUID();
        var insert = "INSERT INTO organization (id, slug, name, plan, created_at) VALUES (?, ?, 'A', 'free', now())";
        MigratedDatabase.execute(insert, id, id.toString());

        assertThat(reasonOf(insert, UUID.randomUUID(), id.toString()))
                .startsWith("Failed: ERROR: duplicate key")
                .hasLineCount(1)
                .doesNotContain(id.toString(), "Detail");
    }

    @Test
    void a_message_with_several_lines_is_joined_into_one() {
        assertThat(CommandFailure.reason(new ConfigurationException("Two are missing:\n  one\n  two")))
                .isEqualTo("Two are missing: one two");
    }

    private static String reasonOf(String statement, Object... parameters) {
        try {
            Sql.transaction(
                    MigratedDatabase.get(), sql -> sql.update("/* all organizations */ " + statement, parameters));
            return "";
        } catch (SQLException e) {
            return CommandFailure.reason(e);
        }
    }
}
