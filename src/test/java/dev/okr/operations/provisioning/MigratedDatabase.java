package dev.okr.operations.provisioning;

import dev.okr.platform.transactions.Sql;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.postgresql.ds.PGSimpleDataSource;

/** A migrated database without a running service, for tests that use JDBC. */
public final class MigratedDatabase {
    // A reference, because an unreferenced logger loses its level.
    private static final Logger FLYWAY = Logger.getLogger("org.flywaydb");

    private static final DataSource DATABASE = start();

    private MigratedDatabase() {}

    /** Returns the database that all tests of a run share. */
    public static DataSource get() {
        return DATABASE;
    }

    /** Creates an empty schema in the same database. */
    public static DataSource emptySchema() {
        var name = "schema_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE SCHEMA " + name);
        var schema = new PGSimpleDataSource();
        schema.setURL(((PGSimpleDataSource) DATABASE).getURL());
        schema.setUser("postgres");
        schema.setCurrentSchema(name);
        return schema;
    }

    /** Tests may read the rows of all organisations. */
    private static final String ALL_ORGANIZATIONS = "/* all organizations */ ";

    /** Returns the only column of the first row as text. */
    public static String answer(String sql, Object... parameters) {
        try {
            return Sql.transaction(
                    DATABASE,
                    connection -> connection
                            .first(row -> String.valueOf(row.getString(1)), ALL_ORGANIZATIONS + sql, parameters)
                            .orElseThrow());
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    public static int execute(String sql, Object... parameters) {
        return execute(DATABASE, sql, parameters);
    }

    /** May write rows of several organisations in one statement, which the service must not do. */
    public static int execute(DataSource database, String sql, Object... parameters) {
        try (var connection = database.getConnection();
                var statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(
                        i + 1, parameters[i] instanceof Instant time ? time.atOffset(ZoneOffset.UTC) : parameters[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    private static DataSource start() {
        Logger.getLogger(EmbeddedPostgres.class.getName()).setLevel(Level.WARNING);
        FLYWAY.setLevel(Level.WARNING);
        try {
            var database = EmbeddedPostgres.start().getPostgresDatabase();
            Flyway.configure().dataSource(database).load().migrate();
            return database;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
