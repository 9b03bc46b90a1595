package dev.okr.webhooks.delivery;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that tells how many pages each statement of the code under test has read. */
final class ExplainedDatabase {
    private static final String EXPLAIN = """
            LOAD 'auto_explain';
            SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;
            SET auto_explain.log_timing = off; SET client_min_messages = log; SET jit = off
            """;
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared([^\\n]*)");
    private static final Pattern PAGES = Pattern.compile("(?:hit|read)=(\\d+)");

    private static final Pattern QUERY =
            Pattern.compile("Query Text: (.*?)\\n(?:Query Parameters|\\S[^\\n]*\\(cost=)", Pattern.DOTALL);

    private final PGSimpleDataSource source = new PGSimpleDataSource();
    private final List<Execution> executions = new ArrayList<>();

    ExplainedDatabase(String url) {
        source.setUrl(url);
    }

    /** An executed statement. */
    record Execution(String sql, String plan) {
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
        return proxy(
                DataSource.class,
                (method, arguments, result) ->
                        result instanceof Connection connection ? connection(connection) : result,
                source);
    }

    private Connection connection(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(EXPLAIN);
        }
        return proxy(
                Connection.class,
                (method, arguments, result) ->
                        result instanceof PreparedStatement statement ? statement(statement) : result,
                connection);
    }

    /** The plan of a query may come with the next statement, so the message itself tells the query. */
    private void add(String message) {
        var query = QUERY.matcher(message);
        if (query.find()) {
            executions.add(new Execution(query.group(1), message));
        }
    }

    private PreparedStatement statement(PreparedStatement statement) {
        return proxy(
                PreparedStatement.class,
                (method, arguments, result) -> {
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
        Object apply(String method, Object[] arguments, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Change change, Object target) {
        InvocationHandler handler = (self, method, arguments) -> {
            try {
                return change.apply(method.getName(), arguments, method.invoke(target, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
