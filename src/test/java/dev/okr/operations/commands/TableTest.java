package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Timestamp;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columns_are_aligned_and_line_breaks_in_names_are_replaced() {
        var table = new Table("ID", "NAME", "CREATED");
        table.add("key_1", "a\nlong\tname", Timestamp.from(Instant.parse("2026-01-31T09:30:00.5Z")));
        table.add("key_22", "x", null);

        assertThat(table).hasToString("""
                ID      NAME         CREATED
                key_1   a long name  2026-01-31T09:30:00Z
                key_22  x            -
                """);
    }
}
