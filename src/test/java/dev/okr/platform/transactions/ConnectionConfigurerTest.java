package dev.okr.platform.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.ServerErrors;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

class ConnectionConfigurerTest {

    @Test
    void an_error_of_the_connection_itself_closes_it() {
        assertThat(ConnectionConfigurer.isFatal(new PSQLException("lost", PSQLState.CONNECTION_FAILURE)))
                .isTrue();
    }

    @Test
    void a_connection_stays_open_if_the_coordinator_reports_an_unreachable_worker() {
        assertThat(ConnectionConfigurer.isFatal(ServerErrors.of("08006"))).isFalse();
    }

    @Test
    void a_connection_closes_if_a_connection_pooler_ends_it() {
        assertThat(ConnectionConfigurer.isFatal(ServerErrors.of("08P01"))).isTrue();
    }
}
