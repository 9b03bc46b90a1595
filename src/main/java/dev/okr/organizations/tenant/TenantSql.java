package dev.okr.organizations.tenant;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.transactions.PendingWrites;
import dev.okr.platform.transactions.Sql;
import io.agroal.api.AgroalDataSource;
import io.quarkus.arc.Arc;
import io.quarkus.arc.Unremovable;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.narayana.jta.QuarkusTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * SQL of the request's organisation, for what is read and written most. Hibernate makes the SQL of an entity query with
 * a tenant anew each time (it keeps no plan while a filter is on), which takes several times as long as the query.
 *
 * <p>Every statement names the organisation as {@code :organization}, once for each table, and cannot be run without;
 * nobody but this class says which it is. All other parameters are question marks.
 */
@ApplicationScoped
// Found by its type alone.
@Unremovable
public class TenantSql {
    private static final int MAX_REMEMBERED_STATEMENTS = 1_000;

    private final AgroalDataSource database;
    private final PendingWrites pending;
    private final CurrentTenant tenant;
    private final Cache<String, TenantStatement> statements =
            Caffeine.newBuilder().maximumSize(MAX_REMEMBERED_STATEMENTS).build();

    TenantSql(AgroalDataSource database, PendingWrites pending, CurrentTenant tenant) {
        this.database = database;
        this.pending = pending;
        this.tenant = tenant;
    }

    /** For the finders of entities, as Panache's session is. */
    public static TenantSql current() {
        return Arc.container().instance(TenantSql.class).get();
    }

    /** All rows of an answer, which the statement must limit. Sees what the transaction under way has changed. */
    public <T> List<T> list(Sql.Reader<T> reader, String statement, @Nullable Object... parameters) {
        return read(statement, parameters, (sql, text, values) -> sql.list(reader, text, values));
    }

    /** The first row of an answer. Sees what the transaction under way has changed. */
    public <T> Optional<T> first(Sql.Reader<T> reader, String statement, @Nullable Object... parameters) {
        return read(statement, parameters, (sql, text, values) -> sql.first(reader, text, values));
    }

    /** Whether the organisation has such a row. */
    public boolean exists(TenantTable<?> table, UUID id) {
        var statement = "SELECT 1 FROM " + table.name() + " e WHERE e.organization_id = :organization AND e.id = ?";
        return first(row -> true, statement, id).isPresent();
    }

    /** As {@link Sql#firstOfBoth}, for what a transaction begins with: changes that it has not sent are not seen. */
    public <A, B, T> Optional<T> firstOfBoth(
            Sql.Reader<A> first,
            Sql.Reader<B> second,
            BiFunction<A, B, T> both,
            String queries,
            @Nullable Object... parameters) {
        return run(queries, parameters, (sql, text, values) -> sql.firstOfBoth(first, second, both, text, values));
    }

    /** Has a statement run before the transaction under way commits, together with its other {@link PendingWrites}. */
    public void write(String statement, @Nullable Object... parameters) {
        var bound = bind(statement, parameters);
        pending.add(bound.text(), bound.values());
    }

    private <T> T read(String statement, @Nullable Object[] parameters, Work<T> work) {
        if (QuarkusTransaction.isActive()) {
            Panache.getSession().flush();
            pending.flush();
        }
        return run(statement, parameters, work);
    }

    private <T> T run(String statement, @Nullable Object[] parameters, Work<T> work) {
        var bound = bind(statement, parameters);
        try (var connection = database.getConnection()) {
            return work.run(new Sql(connection), bound.text(), bound.values());
        } catch (SQLException e) {
            throw new IllegalStateException("a statement failed", e);
        }
    }

    private Bound bind(String statement, @Nullable Object[] parameters) {
        var parsed = statements.get(statement, TenantStatement::parse);
        return new Bound(parsed.text(), parsed.values(tenant.organizationId(), parameters));
    }

    /** A statement as the driver takes it. */
    private record Bound(String text, @Nullable Object[] values) {}

    /** What is done with a statement. */
    @FunctionalInterface
    private interface Work<T> {
        T run(Sql sql, String text, @Nullable Object[] values) throws SQLException;
    }
}
