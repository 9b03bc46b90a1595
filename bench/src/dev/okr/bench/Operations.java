package dev.okr.bench;

import dev.okr.platform.ids.IdKind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The measured requests, each to a hundred random resources of one organisation. */
final class Operations {
    static final int RESOURCES = 100;

    private static final String OBJECTIVES = """
            SELECT id FROM objective WHERE organization_id = ?::uuid ORDER BY md5(id::text) LIMIT ?
            """;
    private static final String OBJECTIVES_OF_CYCLE = """
            SELECT id FROM objective WHERE organization_id = ?::uuid AND cycle_id = (
                SELECT id FROM cycle WHERE organization_id = objective.organization_id ORDER BY id LIMIT 1)
            ORDER BY md5(id::text) LIMIT ?
            """;
    private static final String CYCLES = """
            SELECT id FROM cycle WHERE organization_id = ?::uuid ORDER BY id LIMIT ?
            """;

    /** One key result of each objective, without boolean ones, which have only two values. */
    private static final String KEY_RESULTS = """
            SELECT k.id, k.start_value, k.target_value FROM (%s) o CROSS JOIN LATERAL (
                SELECT * FROM key_result k
                WHERE k.organization_id = ?::uuid AND k.objective_id = o.id AND k.metric_type <> 'boolean'
                ORDER BY k.id LIMIT ?) k
            """;

    private static final String LAST_CHANGE = "SELECT max(updated_at) FROM %s WHERE organization_id = ?::uuid";

    private final Connection connection;
    private final int organization;
    private final String token;

    Operations(Connection connection, int organization) {
        this.connection = connection;
        this.organization = organization;
        this.token = Tenant.token(organization);
    }

    /**
     * An operation with a label for people and a key for files.
     *
     * @param alone whether the limit is that of the bare endpoint, even if the operation uses the database
     */
    record Operation(String key, String label, List<Target> targets, boolean alone) {}

    /** The operations that are compared with a limit. */
    List<Operation> all() throws SQLException {
        return List.of(
                new Operation("objective", "GET one objective with its key results", objectives(), false),
                new Operation("page", "GET a page of 25 objectives of a cycle, with total", pages(), false),
                new Operation("include", "GET a page of 25 objectives with their key results", nested(), false),
                new Operation("checkin", "POST a check-in", checkIns(RESOURCES, 1), false),
                new Operation("me", "GET /v1/users/me", List.of(Target.get("/v1/users/me", token)), true));
    }

    private List<Target> objectives() throws SQLException {
        return ids(OBJECTIVES, RESOURCES).stream()
                .map(id -> Target.get("/v1/objectives/" + IdKind.OBJECTIVE.format(id), token))
                .toList();
    }

    private List<Target> pages() throws SQLException {
        return cycles().stream().map(cycle -> page(cycle, 1)).toList();
    }

    private List<Target> nested() throws SQLException {
        return cycles().stream()
                .map(cycle -> get("/v1/objectives?include=key_results&cycle_id=%s&per_page=25".formatted(cycle)))
                .toList();
    }

    private Target get(String path) {
        return Target.get(path, token);
    }

    /** The objectives that the cycle's list has, by progress. */
    Target byProgress(String cycle) {
        return get("/v1/objectives?sort=progress&cycle_id=%s".formatted(cycle));
    }

    /** The last changed rows of a list. */
    Target lastChanged(String table, String list) throws SQLException {
        try (var statement = connection.prepareStatement(LAST_CHANGE.formatted(table))) {
            statement.setString(1, Tenant.organizationId(organization).toString());
            try (var row = statement.executeQuery()) {
                row.next();
                return get(list + "?updated_since=" + row.getObject(1, OffsetDateTime.class).toInstant());
            }
        }
    }

    /** All cycles of the organisation. The first has most of its objectives. */
    List<String> cycles() throws SQLException {
        return ids(CYCLES, RESOURCES).stream().map(IdKind.CYCLE::format).toList();
    }

    Target page(String cycle, int page) {
        return Target.get("/v1/objectives?cycle_id=%s&per_page=25&page=%d".formatted(cycle, page), token);
    }

    /** Check-ins on some key results of some objectives. */
    List<Target> checkIns(int objectives, int keyResultsOfEach) throws SQLException {
        return checkIns(OBJECTIVES, objectives, keyResultsOfEach);
    }

    /** Check-ins on key results of different objectives in one cycle. */
    List<Target> checkInsOfOneCycle(int objectives) throws SQLException {
        return checkIns(OBJECTIVES_OF_CYCLE, objectives, 1);
    }

    private List<Target> checkIns(String whose, int objectives, int keyResultsOfEach) throws SQLException {
        try (var statement = connection.prepareStatement(KEY_RESULTS.formatted(whose))) {
            bind(statement, objectives);
            statement.setString(3, Tenant.organizationId(organization).toString());
            statement.setInt(4, keyResultsOfEach);
            var targets = new ArrayList<Target>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    targets.add(checkIn(rows));
                }
            }
            return targets;
        }
    }

    private Target checkIn(ResultSet row) throws SQLException {
        return Target.checkIn(
                IdKind.KEY_RESULT.format(row.getObject(1, UUID.class)), token, row.getDouble(2), row.getDouble(3));
    }

    private List<UUID> ids(String sql, int limit) throws SQLException {
        try (var statement = connection.prepareStatement(sql)) {
            bind(statement, limit);
            var ids = new ArrayList<UUID>();
            try (var rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getObject(1, UUID.class));
                }
            }
            return ids;
        }
    }

    private void bind(PreparedStatement statement, int limit) throws SQLException {
        statement.setString(1, Tenant.organizationId(organization).toString());
        statement.setInt(2, limit);
    }
}
