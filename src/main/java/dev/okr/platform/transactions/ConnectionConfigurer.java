package dev.okr.platform.transactions;

import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.quarkus.agroal.runtime.JdbcDriver;
import io.quarkus.arc.Unremovable;
import io.quarkus.datasource.common.runtime.DatabaseKind;
import io.quarkus.jdbc.postgresql.runtime.PostgreSQLAgroalConnectionConfigurer;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import java.sql.SQLException;
import java.util.Set;

/**
 * Decides which errors close a pooled connection. If a worker of a distributed schema is unreachable, the coordinator
 * reports a connection error of its own. The connection to the coordinator is still good. If it were closed, the
 * organisations of other workers would wait for new connections.
 */
@Alternative
@Priority(1)
// Quarkus looks it up at run time.
@Unremovable
@ApplicationScoped
@JdbcDriver(DatabaseKind.POSTGRESQL)
class ConnectionConfigurer extends PostgreSQLAgroalConnectionConfigurer {
    /** The error codes that the coordinator reports if its connection to a worker fails. */
    private static final Set<String> WORKER_UNREACHABLE = Set.of("08000", "08001", "08006");

    private static final PostgreSQLExceptionSorter BY_STATE = new PostgreSQLExceptionSorter();

    @Override
    public void setExceptionSorter(String databaseKind, AgroalDataSourceConfigurationSupplier configuration) {
        configuration.connectionPoolConfiguration().exceptionSorter(ConnectionConfigurer::isFatal);
    }

    static boolean isFatal(SQLException failure) {
        return BY_STATE.isFatal(failure) && !isOfWorker(failure);
    }

    /** The driver uses the same codes for failures of its own connection. No server has reported those. */
    private static boolean isOfWorker(SQLException failure) {
        return WORKER_UNREACHABLE.contains(failure.getSQLState()) && SqlFailures.isReportedByServer(failure);
    }
}
