package dev.okr.operations.database;

import io.quarkus.arc.InactiveBeanException;
import io.quarkus.runtime.QuarkusBindException;
import io.quarkus.runtime.configuration.ConfigurationException;
import io.quarkus.runtime.util.ExceptionUtil;
import io.smallrye.config.ConfigValidationException;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says in words instead of stack traces what the operator can do about a failure. */
public final class OperatorMessage {
    static final String NO_DATABASE = """
            No database is configured. Set QUARKUS_DATASOURCE_JDBC_URL, QUARKUS_DATASOURCE_USERNAME and \
            QUARKUS_DATASOURCE_PASSWORD to use a PostgreSQL (15 or newer), or OKR_EMBEDDED_DATABASE=true to let the \
            service run one of its own (not in native images).""";

    /** How the codes begin of errors that stand between the service and its database. */
    private static final List<String> NOT_LET_IN = List.of(
            "08", // connection_exception
            "28", // invalid_authorization_specification
            "3D", // invalid_catalog_name
            "57P"); // operator_intervention

    private OperatorMessage() {}

    /** What the operator has to know, when the failure is about what the operator set; null for any other. */
    public static @Nullable String of(Throwable failure) {
        return EmbeddedDatabaseFailure.message().orElseGet(() -> ofCause(failure));
    }

    private static @Nullable String ofCause(Throwable failure) {
        return switch (ExceptionUtil.getRootCause(failure)) {
            case InactiveBeanException noUrl -> NO_DATABASE;
            case ConfigurationException configuration -> configuration.getMessage();
            case ConfigValidationException configuration -> configuration.getMessage();
            case QuarkusBindException bind ->
                "The port %d of %s is taken by another process. Stop it, or set QUARKUS_HTTP_PORT."
                        .formatted(bind.getPort(), bind.getHost());
            default -> databaseMessage(failure);
        };
    }

    private static @Nullable String databaseMessage(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                var state = sql.getSQLState();
                return NOT_LET_IN.stream().anyMatch(state::startsWith)
                        ? "The database of QUARKUS_DATASOURCE_JDBC_URL cannot be used: %s (%s)"
                                .formatted(sql.getMessage(), ExceptionUtil.getRootCause(sql))
                        : null;
            }
        }
        return null;
    }
}
