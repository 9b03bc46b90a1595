package dev.okr.operations.commands;

import dev.okr.platform.transactions.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Distributes the schema over several database servers with Citus. The rows of one organisation are on one worker. One
 * transaction contains all steps, so a failure changes nothing.
 */
final class Distribution {
    static final int DEFAULT_SHARDS = 32;

    /** The tables that stay on the coordinator. Slugs, email addresses and tokens are unique over all organisations. */
    static final List<String> LOCAL_TABLES =
            List.of("organization", "users", "api_key", "rate_limit", "rate_limit_replica", "ended_session");

    /** The tables to distribute. Each comes after the tables that it references. Citus adds their partitions. */
    static final List<String> TABLES = List.of(
            "team",
            "team_member",
            "cycle",
            "cycle_totals",
            "objective",
            "objective_words",
            "key_result",
            "key_result_words",
            "key_result_value",
            "check_in",
            "alignment",
            "deleted_objective",
            "deleted_key_result",
            "deleted_check_in",
            "deleted_alignment",
            "event",
            "outbox",
            "webhook",
            "delivery_lane",
            "delivery",
            "delivery_attempt",
            "idempotent_response",
            "audit_entry",
            "import",
            "import_piece");

    private static final String COLUMN = "organization_id";

    /** The oldest tested version of Citus. */
    private static final int MIN_MAJOR = 13;

    private static final int MIN_MINOR = 2;

    private static final String EXTENSION = """
            SELECT split_part(extversion, '.', 1)::int AS major,
                split_part(split_part(extversion, '.', 2), '-', 1)::int AS minor
            FROM pg_extension WHERE extname = 'citus'
            """;
    private static final String IS_COORDINATOR = "SELECT groupid = 0 FROM pg_dist_local_group";
    private static final String COUNT_WORKERS =
            "SELECT count(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'";
    private static final String LAYOUT = """
            SELECT c.relname AS name, p.partmethod = 'h' AS hashed, p.colocationid AS colocation,
                coalesce(column_to_column_name(p.logicalrelid, p.partkey), '') AS column
            FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
            WHERE p.logicalrelid = ANY (?::regclass[])
            """;
    // A replica that still runs may cause a deadlock. With these locks, it occurs before any row is moved.
    private static final String LOCK = "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE";
    private static final String FOREIGN_KEYS = """
            SELECT quote_ident(conname) FROM pg_constraint
            WHERE contype = 'f' AND conrelid = ?::regclass AND confrelid = ANY (?::regclass[])
            """;
    // One transaction changes several tables. Citus then requires that it uses one connection for each worker.
    private static final String ONE_CONNECTION = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'";
    private static final List<String> DROP_TRIGGERS = List.of(
            "DROP TRIGGER IF EXISTS keep_cycle_totals ON objective",
            "DROP TRIGGER IF EXISTS keep_cycle_totals_changed ON objective",
            "DROP TRIGGER IF EXISTS forget_words_of_new ON objective",
            "DROP TRIGGER IF EXISTS forget_words_of_changed ON objective",
            "DROP TRIGGER IF EXISTS forget_words_of_new ON key_result",
            "DROP TRIGGER IF EXISTS forget_words_of_changed ON key_result");
    private static final String CREATE_FIRST = """
            SELECT create_distributed_table(?::regclass, ?, colocate_with => 'none', shard_count => ?)
            """;
    private static final String CREATE = "SELECT create_distributed_table(?::regclass, ?, colocate_with => ?)";
    private static final String DELETE_LOCAL_COPY = "SELECT truncate_local_data_after_distributing_table(?::regclass)";

    private final Sql sql;
    private final Consumer<String> log;

    /**
     * A table that Citus knows.
     *
     * @param hashed whether its rows are distributed by the hash of the column
     * @param colocation tables with the same value have the rows of an organisation on the same worker
     */
    record Placed(String name, boolean hashed, String column, int colocation) {}

    private Distribution(Sql sql, Consumer<String> log) {
        this.sql = sql;
        this.log = log;
    }

    /**
     * Distributes all tables that are not distributed yet.
     *
     * @param log receives a line for each step
     * @throws CommandFailure if the database cannot be distributed
     */
    static void run(DataSource database, int shards, Consumer<String> log) throws SQLException {
        Sql.transaction(database, sql -> {
            new Distribution(sql, log).distribute(shards);
            return sql;
        });
        log.accept("The schema is distributed.");
    }

    private void distribute(int shards) throws SQLException {
        requireCitus();
        var placed = sql.list(
                row -> new Placed(
                        row.getString("name"),
                        row.getBoolean("hashed"),
                        row.getString("column"),
                        row.getInt("colocation")),
                LAYOUT,
                Stream.concat(LOCAL_TABLES.stream(), TABLES.stream()).toList());
        requireOwnLayout(placed);
        log.accept(placed.size() + " of " + TABLES.size() + " tables were distributed already.");
        var distributed = placed.stream().map(Placed::name).toList();
        var missing =
                TABLES.stream().filter(table -> !distributed.contains(table)).toList();
        if (!missing.isEmpty()) {
            distribute(missing, distributed.stream().findFirst(), shards);
        }
    }

    /**
     * Checks that the tables have the layout that this command creates.
     *
     * @param placed the tables of the service that Citus knows
     * @throws CommandFailure if the layout is different
     */
    static void requireOwnLayout(List<Placed> placed) {
        for (var table : placed) {
            if (LOCAL_TABLES.contains(table.name())) {
                throw foreignLayout(table.name() + " must be a local table");
            }
            if (!table.hashed() || !table.column().equals(COLUMN)) {
                throw foreignLayout(table.name() + " must be distributed by " + COLUMN);
            }
            if (table.colocation() != placed.getFirst().colocation()) {
                throw foreignLayout(table.name() + " and " + placed.getFirst().name() + " must be co-located");
            }
        }
    }

    private static CommandFailure foreignLayout(String problem) {
        return new CommandFailure("The tables have a different layout in Citus: " + problem
                + ". Nothing was changed. See \"A different layout\" in docs/operations/several-servers.md.");
    }

    private void distribute(List<String> missing, Optional<String> distributed, int shards) throws SQLException {
        for (var table : Stream.concat(LOCAL_TABLES.stream(), missing.stream()).toList()) {
            sql.update(LOCK.formatted(table));
        }
        sql.update(ONE_CONNECTION);
        for (var table : missing) {
            dropForeignKeysToLocalTables(table);
        }
        if (missing.contains("objective")) {
            for (var statement : DROP_TRIGGERS) {
                sql.update(statement);
            }
        }
        var first = distributed.orElse(missing.getFirst());
        for (var table : missing) {
            distribute(table, first, shards);
        }
        for (var table : missing) {
            sql.first(row -> true, DELETE_LOCAL_COPY, table);
        }
    }

    private void requireCitus() throws SQLException {
        record Version(int major, int minor) {}
        var version = sql.first(row -> new Version(row.getInt("major"), row.getInt("minor")), EXTENSION)
                .orElseThrow(() -> new CommandFailure("The database has no extension citus. Create it on the"
                        + " coordinator and on every worker first."));
        if (version.major < MIN_MAJOR || version.major == MIN_MAJOR && version.minor < MIN_MINOR) {
            throw new CommandFailure("The extension citus has version " + version.major + '.' + version.minor + ", but "
                    + MIN_MAJOR + '.' + MIN_MINOR + " or newer is needed.");
        }
        if (!sql.first(row -> row.getBoolean(1), IS_COORDINATOR).orElse(false)) {
            throw new CommandFailure("This server is a worker. Run the command on the coordinator.");
        }
        long workers = sql.first(row -> row.getLong(1), COUNT_WORKERS).orElse(0L);
        if (workers == 0) {
            throw new CommandFailure("The coordinator has no workers. Add them with citus_add_node first.");
        }
        log.accept("Citus " + version.major + '.' + version.minor + ". The rows go to " + workers
                + (workers == 1 ? " server." : " servers."));
    }

    /**
     * Drops the foreign keys from distributed tables to tables of the coordinator, which Citus does not support. Users,
     * organisations and API keys are never deleted, so no reference can break.
     */
    private void dropForeignKeysToLocalTables(String table) throws SQLException {
        for (var name : sql.list(row -> row.getString(1), FOREIGN_KEYS, table, LOCAL_TABLES)) {
            sql.update("ALTER TABLE " + table + " DROP CONSTRAINT " + name);
            log.accept("Dropped the foreign key " + name + " of " + table + '.');
        }
    }

    /** @param first the table with which all others are co-located */
    private void distribute(String table, String first, int shards) throws SQLException {
        if (table.equals(first)) {
            sql.first(row -> true, CREATE_FIRST, table, COLUMN, shards);
        } else {
            sql.first(row -> true, CREATE, table, COLUMN, first);
        }
        log.accept("Distributed " + table + '.');
    }
}
