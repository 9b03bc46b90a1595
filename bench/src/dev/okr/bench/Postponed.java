package dev.okr.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Drops the foreign keys and indexes of tables before the tables are filled, and creates them afterwards. Primary keys
 * stay.
 */
final class Postponed {
    private static final String INDEXES = """
            SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
            WHERE indrelid = ANY (?::regclass[]) AND NOT indisprimary
                AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = indexrelid AND c.contype <> 'f')
            ORDER BY 1
            """;
    private static final String FOREIGN_KEYS = """
            SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
            FROM pg_constraint
            WHERE contype = 'f' AND (conrelid = ANY (?::regclass[]) OR confrelid = ANY (?::regclass[]))
            ORDER BY 1
            """;

    private final Connection connection;
    private final List<String> drops = new ArrayList<>();
    private final List<String> indexes = new ArrayList<>();
    private final List<String> foreignKeys = new ArrayList<>();

    Postponed(Connection connection, List<String> tables) throws SQLException {
        this.connection = connection;
        var names = connection.createArrayOf("text", tables.toArray());
        try (var statement = connection.prepareStatement(FOREIGN_KEYS)) {
            statement.setArray(1, names);
            statement.setArray(2, names);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    drops.add(rows.getString(1));
                    foreignKeys.add(rows.getString(2));
                }
            }
        }
        try (var statement = connection.prepareStatement(INDEXES)) {
            statement.setArray(1, names);
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    drops.add("DROP INDEX " + rows.getString(1));
                    indexes.add(rows.getString(2));
                }
            }
        }
    }

    void drop() throws SQLException {
        try (var statement = connection.createStatement()) {
            for (var drop : drops) {
                statement.execute(drop);
            }
        }
    }

    /** The statements that create the indexes again. */
    List<String> indexes() {
        return indexes;
    }

    /** The statements that create the foreign keys again. */
    List<String> foreignKeys() {
        return foreignKeys;
    }
}
