package dev.okr.bench;

import java.sql.SQLException;
import java.util.List;

/**
 * The sizes of tables with their indexes, in bytes.
 *
 * @param kept tables that grow with each check-in
 * @param changed tables whose rows change but whose number of rows does not
 * @param queue tables that are empty after all deliveries have succeeded
 * @param connections the number of the service's connections
 */
record Tables(long kept, long changed, long queue, int connections) {
    private static final List<String> KEPT = List.of("check_in", "event", "delivery_succeeded", "delivery_attempt");
    private static final List<String> QUEUE = List.of("outbox", "delivery_lane", "delivery_pending", "delivery_failed");
    private static final String SIZES =
            """
            SELECT coalesce(sum(size) FILTER (WHERE relname = ANY (string_to_array('%1$s', ','))), 0),
                coalesce(sum(size) FILTER (WHERE relname <> ALL (string_to_array('%1$s,%2$s', ','))), 0),
                coalesce(sum(size) FILTER (WHERE relname = ANY (string_to_array('%2$s', ','))), 0),
                (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'okr-service')
            FROM (SELECT relname, pg_total_relation_size(oid) AS size
                  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS t
            """
                    .formatted(String.join(",", KEPT), String.join(",", QUEUE));

    static Tables of(Cluster cluster, String database) throws SQLException {
        try (var connection = cluster.connect(database);
                var statement = connection.createStatement();
                var row = statement.executeQuery(SIZES)) {
            row.next();
            return new Tables(row.getLong(1), row.getLong(2), row.getLong(3), row.getInt(4));
        }
    }
}
