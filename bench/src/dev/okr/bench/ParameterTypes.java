package dev.okr.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Finds the types of parameters that the database infers. */
final class ParameterTypes {
    private final Connection connection;

    ParameterTypes(Connection connection) {
        this.connection = connection;
    }

    /** The type of each parameter. Empty if unknown. */
    List<String> of(Statement captured) throws SQLException {
        int count = captured.parameters().size();
        if (count == 0) {
            return List.of();
        }
        try (var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute("PREPARE bench_types AS " + captured.sql());
            try (var row = statement.executeQuery(
                    "SELECT unnest(parameter_types)::text FROM pg_prepared_statements WHERE name = 'bench_types'")) {
                var types = new ArrayList<String>();
                while (row.next()) {
                    types.add(row.getString(1));
                }
                return types;
            } finally {
                statement.execute("DEALLOCATE bench_types");
            }
        } catch (SQLException unclear) {
            return Collections.nCopies(count, "");
        }
    }
}
