package dev.okr.bench;

import dev.okr.platform.ids.IdKind;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import java.util.regex.Pattern;

/** Sends a request to each operation of the API, and to each list with each of its filters. */
final class EveryOperation {
    private static final Pattern ID = Pattern.compile("\"id\":\"([a-z]+_[0-9a-z]+)\"");

    private final Api api;
    private final Connection connection;
    private final int organization;
    private final Sender sender;

    EveryOperation(Api api, Connection connection, int organization, Sender sender) {
        this.api = api;
        this.connection = connection;
        this.organization = organization;
        this.sender = sender;
    }

    /** Sends a request and returns the response body. */
    interface Sender {
        String send(Api api, String operation, String method, String path, String json)
                throws SQLException, IOException;
    }

    void run() throws SQLException, IOException {
        var objective = id("objective", IdKind.OBJECTIVE);
        var cycle = id("cycle", IdKind.CYCLE);
        var team = id("team", IdKind.TEAM);
        var user = id("users", IdKind.USER);
        lists(objective, cycle, team, user);
        var created = objectives(cycle, team);
        keyResults(created);
        alignments(objective, created);
        cycles(cycle);
        webhooks();
        teamsAndUsers(user);
        get("/v1/events", "");
        get("/v1/events", "?order=asc");
        get("/v1/events", "?order=asc&type=objective.created");
        get("/v1/events", "?type=objective.created");
        get("/v1/events", "?resource_id=" + created);
        get("/v1/events", "?since=2026-01-01T00:00:00Z");
        deletion(created);
    }

    private void deletion(String objective) throws SQLException, IOException {
        change("DELETE", "/v1/objectives/{id}", "/v1/objectives/" + objective, "");
        get("/v1/deleted-objectives", "");
        var restore = "/v1/deleted-objectives/" + objective + "/restore";
        change("POST", "/v1/deleted-objectives/{id}/restore", restore, "");
        change("DELETE", "/v1/objectives/{id}", "/v1/objectives/" + objective, "");
    }

    private void lists(String objective, String cycle, String team, String user) throws SQLException, IOException {
        get("/v1/users/me", "");
        get("/v1/users", "");
        get("/v1/users", "?team_id=" + team);
        get("/v1/teams", "");
        get("/v1/teams/{id}", "/v1/teams/" + team, "");
        get("/v1/teams/{id}/objectives", "/v1/teams/" + team + "/objectives", "");
        get("/v1/teams/{id}/objectives", "/v1/teams/" + team + "/objectives", "?cycle_id=" + cycle);
        get("/v1/cycles", "");
        get("/v1/cycles", "?status=active");
        get("/v1/cycles", "?name=Explained");
        get("/v1/cycles/{id}", "/v1/cycles/" + cycle, "");
        get("/v1/objectives", "");
        get("/v1/objectives", "?page=50");
        get("/v1/objectives", "?cursor=");
        get("/v1/objectives", "?cycle_id=" + cycle);
        get("/v1/objectives", "?team_id=" + team);
        get("/v1/objectives", "?owner_id=" + user);
        get("/v1/objectives", "?status=at_risk");
        get("/v1/objectives", "?cycle_id=%s&team_id=%s&owner_id=%s&status=on_track".formatted(cycle, team, user));
        get("/v1/objectives", "?sort=progress&cycle_id=" + cycle);
        get("/v1/objectives", "?sort=title");
        get("/v1/objectives", "?updated_since=2026-01-01T00:00:00Z");
        get("/v1/objectives", "?include=key_results");
        get("/v1/key-results", "");
        get("/v1/key-results", "?cycle_id=" + cycle);
        get("/v1/key-results", "?team_id=" + team);
        get("/v1/key-results", "?owner_id=" + user);
        get("/v1/key-results", "?stale_since=2026-01-01T00:00:00Z");
        get("/v1/key-results", "?updated_since=2026-01-01T00:00:00Z");
        get("/v1/check-ins", "");
        get("/v1/check-ins", "?objective_id=" + objective);
        get("/v1/check-ins", "?cycle_id=" + cycle);
        get("/v1/check-ins", "?author_id=" + user);
        get("/v1/check-ins", "?recorded_since=2026-01-01T00:00:00Z");
        get("/v1/check-ins", "?updated_since=2026-01-01T00:00:00Z");
        get("/v1/objectives/{id}", "/v1/objectives/" + objective, "");
        get("/v1/objectives/{id}/key-results", "/v1/objectives/" + objective + "/key-results", "");
    }

    private String objectives(String cycle, String team) throws SQLException, IOException {
        var body = "{\"title\":\"Explain it\",\"cycle_id\":\"%s\",\"team_id\":\"%s\"}".formatted(cycle, team);
        var created = first(change("POST", "/v1/objectives", "/v1/objectives", body));
        change("PUT", "/v1/objectives/{id}", "/v1/objectives/" + created, "{\"status\":\"on_track\"}");
        return created;
    }

    private void keyResults(String objective) throws SQLException, IOException {
        var path = "/v1/objectives/" + objective + "/key-results";
        var body = "{\"title\":\"Plans\",\"metric_type\":\"number\",\"start_value\":0,\"target_value\":10}";
        var keyResult = first(change("POST", "/v1/objectives/{id}/key-results", path, body));
        get("/v1/objectives/{id}/key-results/{krId}", path + '/' + keyResult, "");
        change("PUT", "/v1/objectives/{id}/key-results/{krId}", path + '/' + keyResult, "{\"target_value\":20}");
        var checkIns = "/v1/key-results/" + keyResult + "/check-ins";
        var checkIn = first(change(
                "POST", "/v1/key-results/{id}/check-ins", checkIns, "{\"value\":5,\"note\":\"Half of it\"}"));
        change("PUT", "/v1/key-results/{id}/check-ins/{checkInId}", checkIns + '/' + checkIn, "{\"value\":6}");
        var batch = "{\"check_ins\":[{\"key_result_id\":\"%s\",\"increment\":1}]}".formatted(keyResult);
        change("POST", "/v1/check-ins/batch", "/v1/check-ins/batch", batch);
        change("DELETE", "/v1/key-results/{id}/check-ins/{checkInId}", checkIns + '/' + checkIn, "");
        get("/v1/key-results/{id}", "/v1/key-results/" + keyResult, "");
        get("/v1/key-results/{id}/check-ins", checkIns, "");
        get("/v1/key-results/{id}/check-ins", checkIns, "?cursor=");
        change("DELETE", "/v1/objectives/{id}/key-results/{krId}", path + '/' + keyResult, "");
    }

    private void alignments(String parent, String child) throws SQLException, IOException {
        var body = "{\"parent_objective_id\":\"%s\",\"child_objective_id\":\"%s\"}".formatted(parent, child);
        var alignment = first(change("POST", "/v1/alignments", "/v1/alignments", body));
        get("/v1/alignments", "");
        get("/v1/alignments", "?objective_id=" + parent);
        change("DELETE", "/v1/alignments/{id}", "/v1/alignments/" + alignment, "");
    }

    private void cycles(String cycle) throws SQLException, IOException {
        var created = first(change(
                "POST",
                "/v1/cycles",
                "/v1/cycles",
                "{\"name\":\"Explained\",\"starts_at\":\"2120-01-01T00:00:00Z\",\"ends_at\":\"2120-04-01T00:00:00Z\"}"));
        change("DELETE", "/v1/cycles/{id}", "/v1/cycles/" + created, "");
        change("PUT", "/v1/cycles/{id}", "/v1/cycles/" + cycle, "{\"name\":\"Cycle, the first\"}");
    }

    private void teamsAndUsers(String member) throws SQLException, IOException {
        var team = first(change("POST", "/v1/teams", "/v1/teams", "{\"name\":\"Explained\"}"));
        get("/v1/teams", "?name=Explained");
        change("PUT", "/v1/teams/{id}", "/v1/teams/" + team, "{\"external_id\":\"explained\"}");
        var membership = "/v1/teams/" + team + "/members/" + member;
        change("PUT", "/v1/teams/{id}/members/{userId}", membership, "{\"role\":\"lead\"}");
        change("DELETE", "/v1/teams/{id}/members/{userId}", membership, "");
        change("DELETE", "/v1/teams/{id}", "/v1/teams/" + team, "");
        var body = "{\"email\":\"%s@explained.example\",\"name\":\"Mary\",\"role\":\"member\"}";
        var user = first(change("POST", "/v1/users", "/v1/users", body.formatted(team)));
        get("/v1/users/{id}", "/v1/users/" + user, "");
        change("PUT", "/v1/users/{id}", "/v1/users/" + user, "{\"active\":false}");
        get("/v1/users", "?active=false&role=member");
        get("/v1/users", "?email=%s@explained.example".formatted(team));
    }

    private void webhooks() throws SQLException, IOException {
        var url = "http://127.0.0.1:%d/closed".formatted(Commands.freePort());
        var body = "{\"url\":\"%s\",\"events\":[\"alignment.deleted\"]}".formatted(url);
        var webhook = first(change("POST", "/v1/webhooks", "/v1/webhooks", body));
        var path = "/v1/webhooks/" + webhook;
        get("/v1/webhooks", "");
        get("/v1/webhooks/{id}", path, "");
        change("PUT", "/v1/webhooks/{id}", path, "{\"events\":[\"alignment.created\"]}");
        change("POST", "/v1/webhooks/{id}/rotate-secret", path + "/rotate-secret", "");
        change("POST", "/v1/webhooks/{id}/ping", path + "/ping", "");
        var deliveries = path + "/deliveries";
        var delivery = first(get("/v1/webhooks/{id}/deliveries", deliveries, ""));
        get("/v1/webhooks/{id}/deliveries", deliveries, "?status=pending");
        get("/v1/webhooks/{id}/deliveries/{deliveryId}", deliveries + '/' + delivery, "");
        change("POST", "/v1/webhooks/{id}/recover", path + "/recover", "{\"since\":\"2026-01-01T00:00:00Z\"}");
        change("DELETE", "/v1/webhooks/{id}", path, "");
    }

    private String get(String path, String query) throws SQLException, IOException {
        return get(path, path, query);
    }

    private String get(String operation, String path, String query) throws SQLException, IOException {
        return sender.send(api, "GET " + operation + query.replaceAll("_[0-9a-z]{26}", "_…"), "GET", path + query, "");
    }

    private String change(String method, String operation, String path, String json) throws SQLException, IOException {
        return sender.send(api, method + ' ' + operation, method, path, json);
    }

    private static String first(String body) {
        var matcher = ID.matcher(body);
        if (!matcher.find()) {
            throw new IllegalStateException(body);
        }
        return matcher.group(1);
    }

    private String id(String table, IdKind kind) throws SQLException {
        var sql = "SELECT id FROM %s WHERE organization_id = ?::uuid ORDER BY id LIMIT 1".formatted(table);
        try (var statement = connection.prepareStatement(sql)) {
            statement.setString(1, Tenant.organizationId(organization).toString());
            try (var row = statement.executeQuery()) {
                row.next();
                return kind.format(row.getObject(1, UUID.class));
            }
        }
    }
}
