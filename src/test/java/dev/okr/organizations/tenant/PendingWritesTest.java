package dev.okr.organizations.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.organizations.Team;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.HttpTest;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Instant;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

@QuarkusTest
class PendingWritesTest extends HttpTest {
    private static final String INSERT =
            "INSERT INTO team (organization_id, id, name, created_at) VALUES (:organization, ?, ?, ?)";

    @Inject
    CurrentTenant tenant;

    @Test
    void a_query_of_hibernate_sees_pending_statements() {
        assertThat(afterInsert(id -> Panache.getSession()
                                .createSelectionQuery("from Team where id = :id", Team.class)
                                .setParameter("id", id)
                                .getSingleResultOrNull()
                        != null))
                .isTrue();
    }

    @Test
    void a_finder_of_hibernate_sees_pending_statements() {
        assertThat(afterInsert(id -> Team.find("id", id).firstResultOptional().isPresent()))
                .isTrue();
    }

    @Test
    void sql_sees_pending_statements() {
        assertThat(afterInsert(id -> TenantSql.current()
                        .first(row -> true, "SELECT 1 FROM team WHERE organization_id = :organization AND id = ?", id)
                        .isPresent()))
                .isTrue();
    }

    private boolean afterInsert(Predicate<UUID> read) {
        tenant.bind(acme.id());
        var id = UuidV7.at(Instant.now());
        return QuarkusTransaction.requiringNew().call(() -> {
            TenantSql.current().write(INSERT, id, id.toString(), Instant.now());
            return read.test(id);
        });
    }
}
