package dev.okr.commands;

import static org.assertj.core.api.Assertions.assertThat;

import org.flywaydb.core.api.MigrationVersion;
import org.junit.jupiter.api.Test;

class SchemaTest {
    private static final MigrationVersion FIVE = MigrationVersion.fromVersion("5");

    @Test
    void only_the_schema_of_this_program_will_do() {
        assertThat(Schema.problem(FIVE, FIVE)).isNull();
        assertThat(Schema.problem(null, FIVE)).contains("organization create");
        assertThat(Schema.problem(MigrationVersion.fromVersion("4"), FIVE))
                .contains("has version 4", "needs 5", "start this version");
        assertThat(Schema.problem(MigrationVersion.fromVersion("10"), FIVE))
                .contains("has version 10", "needs 5", "use the program");
    }
}
