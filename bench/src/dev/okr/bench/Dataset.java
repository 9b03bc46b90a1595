package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A database of one size, filled with COPY. The data are always the same. */
final class Dataset {
    static final List<String> LARGE_TABLES = List.of("objective", "key_result", "check_in");

    /** With these settings, COPY into an empty table bypasses the WAL and writes to disk before the commit. */
    static final Map<String, String> LOADING = Map.of(
            "wal_level", "minimal",
            "max_wal_senders", "0",
            "max_wal_size", "16GB",
            "maintenance_work_mem", "512MB",
            "work_mem", "128MB",
            "autovacuum", "off");

    private static final int STREAMS = 2;
    private static final int MAX_HOURS = 3;
    private static final int SECONDS_BETWEEN_REPORTS = 5;

    private final Cluster cluster;
    private final String database;
    private final Size size;
    private final AtomicLong rows = new AtomicLong();

    Dataset(Cluster cluster, String database, Size size) {
        this.cluster = cluster;
        this.database = database;
        this.size = size;
    }

    /** Prints the amount of data and the needed disk space. Fails if there is not enough. */
    void announce() throws IOException {
        long free = Files.getFileStore(cluster.data()).getUsableSpace();
        Report.say(
                "data %s; needs about %.1f GB of disk, %.0f GB are free",
                size.describe(), size.diskBytes() / 1e9, free / 1e9);
        if (free < size.diskBytes()) {
            throw new IllegalStateException("not enough disk space");
        }
    }

    /** Fills the empty tables of the service's schema. */
    void load() throws Exception {
        long start = System.nanoTime();
        try (var connection = cluster.connect(database)) {
            var schema = new Postponed(connection, LARGE_TABLES);
            schema.drop();
            new SmallTables(connection, size).load();
            var tables = new LargeTables(size, rows);
            inParallel(
                    List.of(copying(tables::checkIns), copying(tables::keyResults), copying(tables::objectives)),
                    size.checkIns() + size.keyResults() + size.allObjectives());
            Report.say("  rows in %.0f s", (System.nanoTime() - start) / 1e9);
            inParallel(schema.indexes().stream().map(this::executing).toList(), 0);
            Report.say("  indexes in %.0f s", (System.nanoTime() - start) / 1e9);
            // Keys are created one after the other, because each locks both tables. Their creation also checks the
            // data.
            for (var foreignKey : schema.foreignKeys()) {
                executing(foreignKey).call();
            }
            Report.say("  foreign keys in %.0f s", (System.nanoTime() - start) / 1e9);
            fillTotals(connection);
            try (var statement = connection.createStatement()) {
                // Allows index-only scans.
                statement.execute("VACUUM (ANALYZE, FREEZE)");
                statement.execute("CHECKPOINT");
                try (var row = statement.executeQuery("SELECT pg_database_size(current_database())")) {
                    row.next();
                    Report.say(
                            "  %.1f GB in %.0f s", row.getLong(1) / 1e9, (System.nanoTime() - start) / 1e9);
                }
            }
        }
    }

    /** Recalculates the totals of each cycle, if the schema has such a table. */
    static void fillTotals(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            try (var row = statement.executeQuery("SELECT to_regclass('cycle_totals') IS NOT NULL")) {
                row.next();
                if (!row.getBoolean(1)) {
                    return;
                }
            }
            statement.execute("TRUNCATE cycle_totals");
            statement.execute("""
                    INSERT INTO cycle_totals (organization_id, cycle_id, slot, objectives, progress)
                    SELECT organization_id, cycle_id, 0, count(*), sum(progress) FROM objective
                    GROUP BY organization_id, cycle_id
                    """);
        }
    }

    /** A stream of rows. */
    private interface Stream {
        void copy(Connection connection) throws SQLException, IOException;
    }

    private Callable<Void> copying(Stream stream) {
        return () -> {
            try (var connection = cluster.connect(database);
                    var statement = connection.createStatement()) {
                statement.execute("SET session_replication_role = replica");
                connection.setAutoCommit(false);
                stream.copy(connection);
                connection.commit();
            }
            return null;
        };
    }

    private Callable<Void> executing(String sql) {
        return () -> {
            cluster.execute(database, sql);
            return null;
        };
    }

    private void inParallel(List<Callable<Void>> works, long expectedRows) throws Exception {
        try (var threads = Executors.newFixedThreadPool(expectedRows > 0 ? works.size() : STREAMS);
                var clock = Executors.newSingleThreadScheduledExecutor()) {
            if (expectedRows > 0) {
                clock.scheduleAtFixedRate(
                        () -> Report.say("  %,d of %,d rows", rows.get(), expectedRows),
                        SECONDS_BETWEEN_REPORTS,
                        SECONDS_BETWEEN_REPORTS,
                        TimeUnit.SECONDS);
            }
            try {
                var futures = new ArrayList<Future<Void>>();
                works.forEach(work -> futures.add(threads.submit(work)));
                for (var future : futures) {
                    future.get(MAX_HOURS, TimeUnit.HOURS);
                }
            } catch (ExecutionException e) {
                threads.shutdownNow();
                throw e;
            } finally {
                clock.shutdownNow();
            }
        }
    }
}
