package dev.okr.platform.transactions;

import io.quarkus.hibernate.orm.PersistenceUnitExtension;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLTimeoutException;
import org.hibernate.QueryTimeoutException;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/**
 * Runs before each statement that Hibernate sends. It checks the {@link Deadline} and sends the {@link PendingWrites},
 * so that Hibernate's queries see them. It also checks {@link TenantIsolation}. {@link Sql} makes both checks for all
 * other statements.
 */
@PersistenceUnitExtension
@ApplicationScoped
public class StatementGuard implements StatementInspector {
    private static final long serialVersionUID = 1L;

    private final transient PendingWrites pending;

    StatementGuard(PendingWrites pending) {
        this.pending = pending;
    }

    @Override
    public String inspect(String sql) {
        try {
            Deadline.check();
        } catch (SQLTimeoutException e) {
            throw new QueryTimeoutException("The statement was not started.", e, sql);
        }
        TenantIsolation.check(sql);
        pending.flush();
        Sql.STATEMENTS.debug(sql);
        return sql;
    }
}
