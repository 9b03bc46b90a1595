package dev.okr.platform.transactions;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/**
 * Runs SQL on one connection. Code that works on all organisations, or on tables without tenants, uses it directly.
 * Everything else uses {@code TenantSql}. A collection parameter becomes an array of the type of its elements.
 *
 * @param planned whether PostgreSQL plans each execution again, because the amount of data varies too much for one plan
 */
public record Sql(Connection connection, boolean planned) {

    /** Logs the text of each statement at level DEBUG, without parameters. */
    static final Logger STATEMENTS = Logger.getLogger("dev.okr.statements");

    /**
     * PostgreSQL allows 65,535. It sends the small results of all statements at the end of the round trip, so a busy
     * database must complete them before the socket timeout.
     */
    static final int MAX_PARAMETERS_PER_ROUND_TRIP = 5_000;

    /** Lets the driver prepare statements on the server, so that PostgreSQL can keep their plans. */
    public Sql(Connection connection) {
        this(connection, false);
    }

    /** Makes a value from a row. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** The work of one transaction. */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        T run(Sql sql) throws SQLException, E;
    }

    /** Runs the work in a transaction. Commits it, or rolls it back if the work throws. */
    public static <T, E extends Exception> T transaction(DataSource database, Work<T, E> work) throws SQLException, E {
        try (var connection = database.getConnection()) {
            connection.setAutoCommit(false);
            try {
                var result = work.run(new Sql(connection));
                connection.commit();
                return result;
            } catch (Throwable e) {
                rollback(connection, e);
                throw e;
            }
        }
    }

    /** Runs a statement and returns the number of rows it wrote. */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        try (var statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** The first row of the first query. The text may also contain updates. All statements share one round trip. */
    public <T> Optional<T> first(Reader<T> reader, String sql, @Nullable Object... parameters) throws SQLException {
        return results(results -> results.first(reader), sql, parameters);
    }

    /**
     * All rows of the result. The statement must limit their number. Updates before and after a query share its round
     * trip.
     */
    public <T> List<T> list(Reader<T> reader, String sql, @Nullable Object... parameters) throws SQLException {
        return results(results -> results.next(reader), sql, parameters);
    }

    /**
     * Reads all rows of the result, some at a time, so that any number of rows needs little memory. Call it in a
     * transaction.
     */
    public void each(int rowsAtOnce, RowConsumer consumer, String sql, @Nullable Object... parameters)
            throws SQLException {
        try (var statement = prepare(sql, parameters)) {
            statement.setFetchSize(rowsAtOnce);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    consumer.accept(rows);
                }
            }
        }
    }

    /** Takes the values of a row. */
    @FunctionalInterface
    public interface RowConsumer {
        void accept(ResultSet row) throws SQLException;
    }

    /**
     * Runs several statements in one round trip. Each one sees what was committed when it began. So a query reads the
     * latest state of the rows that a query before it has locked.
     *
     * @param statements the statements, separated by semicolons
     */
    public <T> T results(ResultsReader<T> reader, String statements, @Nullable Object... parameters)
            throws SQLException {
        try (var statement = prepare(statements, parameters)) {
            return reader.read(new Results(statement, statement.execute()));
        }
    }

    /** Makes a value from the results of several statements. */
    @FunctionalInterface
    public interface ResultsReader<T> {
        T read(Results results) throws SQLException;
    }

    /** The results of several statements. Updates have none. */
    public static final class Results {
        private final PreparedStatement statement;
        private boolean isQuery;

        private Results(PreparedStatement statement, boolean isQuery) {
            this.statement = statement;
            this.isQuery = isQuery;
        }

        /** All rows of the next query. The query must limit their number. */
        public <T> List<T> next(Reader<T> reader) throws SQLException {
            var list = new ArrayList<T>();
            try (var rows = nextRows()) {
                while (rows.next()) {
                    list.add(reader.read(rows));
                }
            }
            isQuery = statement.getMoreResults();
            return list;
        }

        /** The first row of the next query. */
        public <T> Optional<T> first(Reader<T> reader) throws SQLException {
            Optional<T> first;
            try (var rows = nextRows()) {
                first = rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
            }
            isQuery = statement.getMoreResults();
            return first;
        }

        private ResultSet nextRows() throws SQLException {
            while (!isQuery && statement.getUpdateCount() >= 0) {
                isQuery = statement.getMoreResults();
            }
            return statement.getResultSet();
        }
    }

    /**
     * Runs two queries in one round trip, like {@link #results}, and reads the first row of each. Empty if one of them
     * has no row.
     *
     * @param queries both queries, separated by a semicolon
     */
    public <A, B, T> Optional<T> firstOfBoth(
            Reader<A> first, Reader<B> second, BiFunction<A, B, T> both, String queries, @Nullable Object... parameters)
            throws SQLException {
        return results(
                results -> {
                    var a = results.first(first);
                    var b = results.first(second);
                    return a.flatMap(one -> b.map(other -> both.apply(one, other)));
                },
                queries,
                parameters);
    }

    /** Runs statements that return nothing, in this order. Only very many parameters need more than one round trip. */
    public void updateAll(List<Write> writes) throws SQLException {
        int next = 0;
        while (next < writes.size()) {
            int first = next;
            int parameters = 0;
            do {
                parameters += writes.get(next).parameters().length;
                next++;
            } while (next < writes.size()
                    && parameters + writes.get(next).parameters().length <= MAX_PARAMETERS_PER_ROUND_TRIP);
            var all = Write.all(writes.subList(first, next));
            try (var statement = prepare(all.statement(), all.parameters())) {
                statement.execute();
            }
        }
    }

    /**
     * Adds rows with COPY, the fastest method. All rows are in memory, so add a limited number at a time.
     *
     * @param rows the values of the columns
     */
    public void copy(String table, List<String> columns, List<@Nullable Object[]> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        Deadline.check();
        TenantIsolation.checkCopy(table, columns);
        var statement = "COPY " + table + " (" + String.join(", ", columns) + ") FROM STDIN";
        STATEMENTS.debug(statement);
        try {
            connection.unwrap(PGConnection.class).getCopyAPI().copyIn(statement, CopyText.of(rows));
        } catch (IOException e) {
            throw new SQLException("The rows could not be sent.", e);
        }
    }

    /** A statement with its parameters. */
    public record Write(String statement, @Nullable Object... parameters) {
        /** Several statements as one, in this order. */
        public static Write all(List<Write> writes) {
            if (writes.size() == 1) {
                return writes.getFirst();
            }
            var parameters = new ArrayList<@Nullable Object>();
            writes.forEach(write -> parameters.addAll(Arrays.asList(write.parameters())));
            var statements = writes.stream().map(Write::statement).collect(Collectors.joining(";\n"));
            return new Write(statements, parameters.toArray());
        }
    }

    /** Reads a timestamp from a column that is not null. */
    public static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** Reads a timestamp that may be null. */
    public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        var moment = row.getObject(column, OffsetDateTime.class);
        return moment == null ? null : moment.toInstant();
    }

    /** Reads a UUID. */
    public static UUID uuid(ResultSet row, String column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    private static void rollback(Connection connection, Throwable reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        Deadline.check();
        TenantIsolation.check(sql);
        STATEMENTS.debug(sql);
        var statement = connection.prepareStatement(sql);
        if (planned) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, value(parameters[i]));
        }
        return statement;
    }

    private @Nullable Object value(@Nullable Object parameter) throws SQLException {
        return switch (parameter) {
            // The driver writes infinity for the last moment.
            case Instant instant when instant.equals(Instant.MAX) -> OffsetDateTime.MAX;
            case Instant instant -> instant.atOffset(ZoneOffset.UTC);
            case Collection<?> elements -> array(elements);
            case null, default -> parameter;
        };
    }

    private Object array(Collection<?> elements) throws SQLException {
        var type = elements.stream()
                .filter(Objects::nonNull)
                .findFirst()
                .map(Sql::type)
                .orElse("text");
        var values = new ArrayList<@Nullable Object>();
        for (var element : elements) {
            values.add(value(element));
        }
        // The driver accepts bytes only in an array of their own type.
        return connection.createArrayOf(type, type.equals("bytea") ? values.toArray(byte[][]::new) : values.toArray());
    }

    private static String type(Object element) {
        return switch (element) {
            case UUID uuid -> "uuid";
            case Integer integer -> "int4";
            case Boolean bool -> "bool";
            case Instant instant -> "timestamptz";
            case byte[] bytes -> "bytea";
            default -> "text";
        };
    }
}
