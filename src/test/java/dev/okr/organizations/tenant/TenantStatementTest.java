package dev.okr.organizations.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class TenantStatementTest {
    private static final UUID ACME = new UUID(1, 1);

    @Test
    void the_organisation_takes_its_place_between_the_parameters() {
        var statement =
                TenantStatement.parse("SELECT ? FROM a WHERE o = :organization AND b = ? AND p = :organization");

        assertThat(statement.text()).isEqualTo("SELECT ? FROM a WHERE o = ? AND b = ? AND p = ?");
        assertThat(statement.values(ACME, new Object[] {"first", "second"}))
                .containsExactly("first", ACME, "second", ACME);
    }

    @Test
    void a_statement_that_names_no_organisation_is_refused() {
        assertThatIllegalArgumentException().isThrownBy(() -> TenantStatement.parse("SELECT * FROM objective"));
    }

    @Test
    void every_parameter_has_its_question_mark() {
        var statement = TenantStatement.parse("SELECT 1 FROM a WHERE o = :organization AND id = ?");

        assertThatIllegalArgumentException().isThrownBy(() -> statement.values(ACME, new Object[] {}));
        assertThatIllegalArgumentException().isThrownBy(() -> statement.values(ACME, new Object[] {1, 2}));
    }
}
