package dev.okr.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compares acknowledged check-ins with the final data and with the deliveries at the subscribers. */
final class Ledger {
    /** Longer than the lease of a killed replica plus the first retry. */
    private static final double MAX_SETTLE_SECONDS = 90;

    private static final String UNSETTLED =
            "SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM delivery_pending)";
    private static final String ORPHANS =
            """
            SELECT count(*) FROM delivery d
            WHERE NOT EXISTS (SELECT FROM event e WHERE e.organization_id = d.organization_id AND e.id = d.event_id)
            """;
    private static final String WITHOUT_ATTEMPT =
            """
            SELECT count(*) FROM delivery d WHERE NOT EXISTS (
                SELECT FROM delivery_attempt a WHERE a.organization_id = d.organization_id AND a.delivery_id = d.id)
            """;
    private static final String WITHOUT_DELIVERY =
            """
            SELECT count(*) FROM event e JOIN webhook w ON w.organization_id = e.organization_id
            WHERE e.type = 'check_in.created' AND NOT EXISTS (SELECT FROM delivery d
                WHERE d.organization_id = e.organization_id AND d.event_id = e.id AND d.webhook_id = w.id)
            """;
    private static final String WITHOUT_EVENT =
            "SELECT (SELECT count(*) FROM check_in) - (SELECT count(*) FROM event WHERE type = 'check_in.created')";

    private final Cluster cluster;
    private final String database;
    private final List<Endpoint> endpoints;

    Ledger(Cluster cluster, String database, List<Endpoint> endpoints) {
        this.cluster = cluster;
        this.database = database;
        this.endpoints = endpoints;
    }

    /** Waits until no delivery is pending. Returns the duration in seconds. */
    double settle() throws SQLException {
        long start = System.nanoTime();
        while (count(UNSETTLED) > 0 && System.nanoTime() - start < MAX_SETTLE_SECONDS * 1e9) {
            Commands.sleep(0.25);
        }
        return (System.nanoTime() - start) / 1e9;
    }

    void judge(Report report, Api api, Subject subject, List<Call> calls) throws IOException, SQLException {
        var kept = checkIns(api, subject);
        var acknowledged = calls.stream()
                .filter(call -> call.isCheckIn() && !call.isFailed())
                .toList();
        long lost = acknowledged.stream()
                .filter(call -> kept.getOrDefault(call.text(), -1L) != call.number())
                .count();
        report.judge(
                "lost acknowledged check-ins",
                "%,d of %,d".formatted(lost, acknowledged.size()),
                "0",
                lost == 0 && !acknowledged.isEmpty());
        long written = calls.stream()
                .filter(call -> call.isCheckIn() && call.isFailed() && kept.containsValue((long) call.number()))
                .count();
        report.tell("  written but not acknowledged", "%,d".formatted(written));
        deliveries(report, acknowledged);
    }

    private void deliveries(Report report, List<Call> acknowledged) throws SQLException {
        long undelivered = 0;
        long repeated = 0;
        for (var endpoint : endpoints) {
            undelivered += acknowledged.stream()
                    .filter(call -> endpoint.arrivedMicros(call.number()) == 0)
                    .count();
            repeated += endpoint.repeated();
        }
        report.judge(
                "deliveries of these that did not arrive",
                "%,d of %,d (%,d repeated)".formatted(undelivered, acknowledged.size() * endpoints.size(), repeated),
                "0",
                undelivered == 0);
        none(report, "deliveries without an event", ORPHANS);
        none(report, "deliveries without an attempt", WITHOUT_ATTEMPT);
        none(report, "check-ins without an event", WITHOUT_EVENT);
        none(report, "events without a delivery", WITHOUT_DELIVERY);
        none(report, "unprocessed events and deliveries", UNSETTLED);
    }

    private void none(Report report, String figure, String count) throws SQLException {
        long found = count(count);
        report.judge(figure, "%,d".formatted(found), "0", found == 0);
    }

    /** The values of all check-ins by id, according to the API. */
    private static Map<String, Long> checkIns(Api api, Subject subject) throws IOException {
        var mapper = new ObjectMapper();
        var values = new HashMap<String, Long>();
        for (var keyResult : subject.keyResults()) {
            var cursor = "";
            do {
                var path = "/v1/key-results/%s/check-ins?per_page=100&cursor=%s".formatted(keyResult, cursor);
                var page = mapper.readTree(api.get(path).body());
                for (var checkIn : page.get("data")) {
                    values.put(checkIn.get("id").asText(), checkIn.get("value").asLong());
                }
                cursor = page.get("meta").path("next_cursor").asText("");
            } while (!cursor.isEmpty());
        }
        return values;
    }

    private long count(String sql) throws SQLException {
        try (var connection = cluster.connect(database);
                var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
