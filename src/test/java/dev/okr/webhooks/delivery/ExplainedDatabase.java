package dev.okr.webhooks.delivery;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A database that counts the pages that each statement of the code under test reads. All transactions are part of one
 * transaction, which is rolled back at the end.
 */
final class ExplainedDatabase implements AutoCloseable {
    private static final String EXPLAIN = """
            LOAD 'auto_explain';
            SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;
            SET auto_explain.log_timing = off; SET client_min_messages = log; SET jit = off
            """;
    /** The methods with which the code under test would end its transactions. */
    private static final Set<String> ENDS = Set.of("setAutoCommit", "commit", "rollback", "close");

    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared([^\\n]*)");
    private static final Pattern PAGES = Pattern.compile("(?:hit|read)=(\\d+)");

    private static final Pattern QUERY =
            Pattern.compile("Query Text: (.*?)\\n(?:Query Parameters|\\S[^\\n]*\\(cost=)", Pattern.DOTALL);

    private final Connection connection;
    private final List<Execution> executions = new ArrayList<>();

    ExplainedDatabase(String url) throws SQLException {
        connection = DriverManager.getConnection(url);
        try (var statement = connection.createStatement()) {
            statement.execute(EXPLAIN);
        }
        connection.setAutoCommit(false);
    }

    /** An executed statement. */
    record Execution(String sql, String plan) {
        /** The statement without its rows of VALUES, so that statements with different numbers of rows are equal. */
        String statement() {
            return sql.replaceAll("\\s+", " ").replaceAll("VALUES \\(.*?\\)( ON|$)", "VALUES$1");
        }

        /** The pages that the statement has read, from the first line about buffers. */
        long pages() {
            var line = BUFFERS.matcher(plan);
            return line.find()
                    ? PAGES.matcher(line.group(1))
                            .results()
                            .mapToLong(each -> Long.parseLong(each.group(1)))
                            .sum()
                    : 0;
        }
    }

    List<Execution> executions() {
        return executions;
    }

    DataSource dataSource() {
        var shared = proxy(
                Connection.class,
                ENDS::contains,
                (method, result) -> result instanceof PreparedStatement statement ? statement(statement) : result,
                connection);
        return proxy(DataSource.class, method -> true, (method, result) -> shared, new PGSimpleDataSource());
    }

    @Override
    public void close() throws SQLException {
        connection.rollback();
        connection.close();
    }

    /** Reads the query from the message, because the plan of a query may arrive with the next statement. */
    private void add(String message) {
        var query = QUERY.matcher(message);
        if (query.find()) {
            executions.add(new Execution(query.group(1), message));
        }
    }

    private PreparedStatement statement(PreparedStatement statement) {
        return proxy(
                PreparedStatement.class,
                method -> false,
                (method, result) -> {
                    if (method.startsWith("execute")) {
                        for (var warning = statement.getWarnings();
                                warning != null;
                                warning = warning.getNextWarning()) {
                            add(warning.getMessage());
                        }
                    }
                    return result;
                },
                statement);
    }

    /** Changes the result of a method. */
    private interface Change {
        @Nullable
        Object apply(String method, @Nullable Object result) throws SQLException;
    }

    /** @param skipped the methods whose calls are not forwarded to the target */
    private static <T> T proxy(Class<T> type, Predicate<String> skipped, Change change, T target) {
        InvocationHandler handler = (self, method, arguments) -> {
            try {
                var name = method.getName();
                return change.apply(name, skipped.test(name) ? null : method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
