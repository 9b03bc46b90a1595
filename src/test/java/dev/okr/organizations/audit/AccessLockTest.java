package dev.okr.organizations.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.transactions.Sql;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

@QuarkusTest
class AccessLockTest extends HttpTest {
    @Test
    void a_transaction_that_ends_access_is_seen_only_in_its_organisation() throws SQLException {
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            AccessLock.share(new Sql(connection), acme.id());
            assertThat(isShared(acme.id())).isTrue();
            assertThat(isShared(UUID.randomUUID())).isFalse();
            connection.rollback();
        }
        assertThat(isShared(acme.id())).isFalse();
    }

    private static boolean isShared(UUID organization) throws SQLException {
        try (var connection = TestDatabase.connect()) {
            return AccessLock.isShared(new Sql(connection), organization);
        }
    }
}
