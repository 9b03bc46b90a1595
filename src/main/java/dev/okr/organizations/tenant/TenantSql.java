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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs SQL for the organisation of the request. Results are records, never entities. Reads use SQL, because Hibernate
 * parses an entity query with a tenant at each execution. That takes several times as long as the query.
 *
 * <p>Every statement contains {@code :organization}, once for each table. Only this class sets its value. All other
 * parameters are question marks.
 */
@ApplicationScoped
// Arc does not see the lookup by type in current().
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

    /** The instance for static finders, which cannot inject it. */
    public static TenantSql current() {
        return Arc.container().instance(TenantSql.class).get();
    }

    /**
     * All rows of the result. The statement must limit their number. It sees all changes of the current transaction.
     */
    public <T> List<T> list(Sql.Reader<T> reader, String statement, @Nullable Object... parameters) {
        return read(statement, parameters, (sql, text, values) -> sql.list(reader, text, values));
    }

    /**
     * Like {@link #list}, but PostgreSQL plans each execution for its parameters. For conditions that match a few rows
     * or almost all, depending on the parameter.
     */
    public <T> List<T> listPlanned(Sql.Reader<T> reader, String statement, @Nullable Object... parameters) {
        return read(true, statement, parameters, (sql, text, values) -> sql.list(reader, text, values));
    }

    /** The first row of the result. It sees all changes of the current transaction. */
    public <T> Optional<T> first(Sql.Reader<T> reader, String statement, @Nullable Object... parameters) {
        return read(statement, parameters, (sql, text, values) -> sql.first(reader, text, values));
    }

    /**
     * Reads a row with all rows that a LEFT JOIN adds to it, in one statement and so in one snapshot.
     *
     * @param one reads the row, from the first row of the result
     * @param many reads an added row; empty if the join found none
     */
    public <A, B, T> Optional<T> firstWithMany(
            Sql.Reader<A> one,
            Sql.Reader<Optional<B>> many,
            BiFunction<A, List<B>, T> both,
            String statement,
            @Nullable Object... parameters) {
        var added = new ArrayList<B>();
        var found = list(
                row -> {
                    many.read(row).ifPresent(added::add);
                    return row.isFirst() ? Optional.of(one.read(row)) : Optional.<A>empty();
                },
                statement,
                parameters);
        return found.stream().findFirst().flatMap(first -> first).map(first -> both.apply(first, added));
    }

    /**
     * Reads a row and the rows of another table that belong to it, with one UNION ALL and so in one snapshot. Unlike a
     * join, this sends the row once.
     *
     * @param key a column that is null in the row of {@code one}, and never null in the others
     */
    public <A, B, T> Optional<T> firstOfUnion(
            Sql.Reader<A> one,
            String key,
            Sql.Reader<B> many,
            BiFunction<A, List<B>, T> both,
            String statement,
            @Nullable Object... parameters) {
        var first = new ArrayList<A>();
        var others = new ArrayList<B>();
        list(
                row -> row.getObject(key) == null ? first.add(one.read(row)) : others.add(many.read(row)),
                statement,
                parameters);
        return first.stream().findFirst().map(found -> both.apply(found, others));
    }

    /** Whether the organisation has a row with this id. */
    public boolean exists(TenantTable<?> table, UUID id) {
        var statement = "SELECT 1 FROM " + table.name() + " e WHERE e.organization_id = :organization AND e.id = ?";
        return first(row -> true, statement, id).isPresent();
    }

    /** See {@link Sql#firstOfBoth}. Both queries see all changes of the current transaction. */
    public <A, B, T> Optional<T> firstOfBoth(
            Sql.Reader<A> first,
            Sql.Reader<B> second,
            BiFunction<A, B, T> both,
            String queries,
            @Nullable Object... parameters) {
        return read(queries, parameters, (sql, text, values) -> sql.firstOfBoth(first, second, both, text, values));
    }

    /** See {@link Sql#results}. All statements see all changes of the current transaction. */
    public <T> T results(Sql.ResultsReader<T> reader, String statements, @Nullable Object... parameters) {
        return read(statements, parameters, (sql, text, values) -> sql.results(reader, text, values));
    }

    /**
     * Serialises changes of the organisation that must see the results of previous changes. It locks the organisation's
     * row until the end of the transaction. Inserts of rows that refer to the organisation do not wait for this lock.
     */
    public void lockOrganization() {
        first(row -> true, "SELECT 1 FROM organization WHERE id = :organization FOR NO KEY UPDATE");
    }

    UUID organizationId() {
        return tenant.organizationId();
    }

    /** Adds a statement to the {@link PendingWrites} of the current transaction. */
    public void write(String statement, @Nullable Object... parameters) {
        var bound = bind(statement, parameters);
        pending.add(bound.text(), bound.values());
    }

    /** Like {@link #write}, for a setting of the transaction, which belongs to no organisation. */
    public void set(String statement) {
        pending.add(statement);
    }

    private <T> T read(String statement, @Nullable Object[] parameters, Work<T> work) {
        return read(false, statement, parameters, work);
    }

    private <T> T read(boolean planned, String statement, @Nullable Object[] parameters, Work<T> work) {
        if (QuarkusTransaction.isActive()) {
            Panache.getSession().flush();
        }
        var bound = bind(statement, parameters);
        // The pending writes are sent in the same round trip.
        var statements = new ArrayList<>(pending.take());
        statements.add(new Sql.Write(bound.text, bound.values));
        var all = Sql.Write.all(statements);
        try (var connection = database.getConnection()) {
            return work.run(new Sql(connection, planned), all.statement(), all.parameters());
        } catch (SQLException e) {
            throw new IllegalStateException("A statement failed.", e);
        }
    }

    private Bound bind(String statement, @Nullable Object[] parameters) {
        var parsed = statements.get(statement, TenantStatement::parse);
        return new Bound(parsed.text(), parsed.values(tenant.organizationId(), parameters));
    }

    /** A statement and its parameters for the driver. */
    private record Bound(String text, @Nullable Object[] values) {}

    /** Runs a bound statement. */
    @FunctionalInterface
    private interface Work<T> {
        T run(Sql sql, String text, @Nullable Object[] values) throws SQLException;
    }
}
