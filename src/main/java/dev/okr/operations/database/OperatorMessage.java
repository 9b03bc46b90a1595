package dev.okr.operations.database;

import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.arc.InactiveBeanException;
import io.quarkus.runtime.QuarkusBindException;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.util.ExceptionUtil;
import io.smallrye.config.ConfigValidationException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns failures into messages that tell operators what to do, in place of stack traces. */
public final class OperatorMessage {
    static final String NO_DATABASE = """
            No database is configured. Set QUARKUS_DATASOURCE_JDBC_URL, QUARKUS_DATASOURCE_USERNAME and \
            QUARKUS_DATASOURCE_PASSWORD for a PostgreSQL 15 or newer. Or set OKR_EMBEDDED_DATABASE=true for an embedded \
            database, which native images do not have.""";

    /** The first characters of SQLSTATE codes of errors that operators can resolve. */
    private static final List<String> CONNECTION_FAILURES = List.of(
            "08", // connection_exception
            "28", // invalid_authorization_specification
            "3D", // invalid_catalog_name
            "53", // insufficient_resources, such as too many connections
            "57P"); // operator_intervention

    private OperatorMessage() {}

    /** Returns null if the failure is not about configuration, the port or the database. */
    public static @Nullable String of(Throwable failure) {
        return EmbeddedDatabaseFailure.message().orElseGet(() -> ofCause(failure));
    }

    private static @Nullable String ofCause(Throwable failure) {
        return switch (ExceptionUtil.getRootCause(failure)) {
            case InactiveBeanException noUrl -> NO_DATABASE;
            case UnknownHostException host
            when DatabaseUrlCheck.NO_HOST.equals(host.getMessage()) -> DatabaseUrlCheck.PROBLEM;
            case ConfigurationException configuration -> configuration.getMessage();
            case ConfigValidationException configuration -> configuration.getMessage();
            case QuarkusBindException bind ->
                "Another process uses port %d of %s. Stop it, or set QUARKUS_HTTP_PORT."
                        .formatted(bind.getPort(), bind.getHost());
            default -> databaseMessage(failure);
        };
    }

    private static @Nullable String databaseMessage(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && (sql.getSQLState() != null || SqlFailures.isUnavailable(sql))) {
                var state = sql.getSQLState();
                return state == null || CONNECTION_FAILURES.stream().anyMatch(state::startsWith)
                        ? "The database of QUARKUS_DATASOURCE_JDBC_URL cannot be used: %s (%s)"
                                .formatted(sql.getMessage(), ExceptionUtil.getRootCause(sql))
                        : null;
            }
        }
        return null;
    }
}
