package dev.okr.provisioning;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Statements of one connection, for what is done before there is a request and its tenant. */
public record Sql(Connection connection) {

    /** Reads a row. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** What is done in one transaction. */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        T run(Sql sql) throws SQLException, E;
    }

    /** Does all of the work or, when it throws, none of it. */
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

    /** Runs a statement and returns how many rows it wrote. */
    public int update(String sql, @Nullable Object... parameters) throws SQLException {
        try (var statement = prepare(sql, parameters)) {
            return statement.executeUpdate();
        }
    }

    /** The first row of an answer. */
    public <T> Optional<T> first(Reader<T> reader, String sql, @Nullable Object... parameters) throws SQLException {
        try (var statement = prepare(sql, parameters);
                var rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
        }
    }

    private static void rollback(Connection connection, Throwable reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            reason.addSuppressed(e);
        }
    }

    private PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        var statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, value(parameters[i]));
        }
        return statement;
    }

    private @Nullable Object value(@Nullable Object parameter) throws SQLException {
        return switch (parameter) {
            case Instant instant -> instant.atOffset(ZoneOffset.UTC);
            case Collection<?> texts -> connection.createArrayOf("text", texts.toArray());
            case null, default -> parameter;
        };
    }
}
