package dev.okr.platform.transactions;

import io.quarkus.hibernate.orm.PersistenceUnitExtension;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLTimeoutException;
import org.hibernate.QueryTimeoutException;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/** Asks for the {@link Deadline} before each statement of Hibernate's. */
@PersistenceUnitExtension
@ApplicationScoped
public class DeadlineInspector implements StatementInspector {
    private static final long serialVersionUID = 1L;

    @Override
    public String inspect(String sql) {
        try {
            Deadline.check();
        } catch (SQLTimeoutException e) {
            throw new QueryTimeoutException("not begun", e, sql);
        }
        return sql;
    }
}
