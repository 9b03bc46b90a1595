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
    void an_organisation_cannot_end_access_to_another_one() throws SQLException {
        var user = acme.adminUser().uuid();
        try (var connection = TestDatabase.connect()) {
            connection.setAutoCommit(false);
            var sql = new Sql(connection);
            AccessLock.share(sql, UUID.randomUUID(), user);
            assertThat(isShared(user)).isFalse();
            AccessLock.share(sql, acme.id(), user);
            assertThat(isShared(user)).isTrue();
            connection.rollback();
        }
        assertThat(isShared(user)).isFalse();
    }

    private boolean isShared(UUID user) throws SQLException {
        try (var connection = TestDatabase.connect()) {
            return AccessLock.isShared(new Sql(connection), acme.id(), user);
        }
    }
}
