package dev.okr.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The measured databases, with small and large data, in one cluster. */
final class Databases {
    static final String SMALL = "small";
    static final String LARGE = "large";

    private final Options options;
    private final Leftovers leftovers;
    private Cluster cluster;

    Databases(Options options, Leftovers leftovers) {
        this.options = options;
        this.leftovers = leftovers;
    }

    Cluster open() throws IOException {
        var directory = options.data().orElse(leftovers.directory());
        Files.createDirectories(directory);
        Map<String, String> settings = new HashMap<>(ServerLog.SETTINGS);
        if (!options.pace().details()) {
            // pg_stat_statements costs a little time.
            settings.put("shared_preload_libraries", "");
        }
        cluster = leftovers.add(
                new Cluster(directory.resolve("postgres"), settings, options.data().isPresent()));
        cluster.start(Map.of());
        return cluster;
    }

    /** Creates the database for each run, because measurements make it grow. */
    void makeSmall() throws Exception {
        cluster.execute("postgres", "DROP DATABASE IF EXISTS " + SMALL);
        make(SMALL, options.small());
    }

    /** Reuses the database of an earlier run if it has the requested size. */
    void makeLarge() throws Exception {
        var size = options.large().orElseThrow();
        var wanted = size.toString();
        if (wanted.equals(comment())) {
            Report.say("data %s: from an earlier run", size.name());
            // Check-ins and events of earlier runs have left pages that prevent index-only scans.
            cluster.execute(LARGE, "VACUUM (ANALYZE)");
            return;
        }
        cluster.execute("postgres", "DROP DATABASE IF EXISTS " + LARGE);
        make(LARGE, size);
        cluster.execute("postgres", "COMMENT ON DATABASE %s IS '%s'".formatted(LARGE, wanted));
    }

    private String comment() throws SQLException {
        try (var connection = cluster.connect("postgres");
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '" + LARGE + "'")) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private void make(String database, Size size) throws Exception {
        var data = new Dataset(cluster, database, size);
        data.announce();
        cluster.createDatabase(database, "template0");
        // The service creates the schema.
        new Service(leftovers.directory(), cluster.url(database), List.of(), Tenant.token(0)).close();
        cluster.start(Dataset.LOADING);
        data.load();
        cluster.start(Map.of());
    }
}
