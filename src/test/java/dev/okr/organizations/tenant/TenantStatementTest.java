package dev.okr.organizations.tenant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class TenantStatementTest {
    private static final UUID ACME = new UUID(1, 1);

    @Test
    void the_organisation_is_inserted_between_the_parameters() {
        var statement =
                TenantStatement.parse("SELECT ? FROM a WHERE o = :organization AND b = ? AND p = :organization");

        assertThat(statement.text()).isEqualTo("SELECT ? FROM a WHERE o = ? AND b = ? AND p = ?");
        assertThat(statement.values(ACME, new Object[] {"first", "second"}))
                .containsExactly("first", ACME, "second", ACME);
    }

    @Test
    void a_statement_without_the_organisation_is_rejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> TenantStatement.parse("SELECT * FROM objective"));
    }

    @Test
    void the_number_of_parameters_must_match_the_question_marks() {
        var statement = TenantStatement.parse("SELECT 1 FROM a WHERE o = :organization AND id = ?");

        assertThatIllegalArgumentException().isThrownBy(() -> statement.values(ACME, new Object[] {}));
        assertThatIllegalArgumentException().isThrownBy(() -> statement.values(ACME, new Object[] {1, 2}));
    }
}
