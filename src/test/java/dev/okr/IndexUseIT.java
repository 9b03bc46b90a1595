package dev.okr;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.testing.Api;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.ServiceProcess;
import dev.okr.testing.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every operation, filter and job uses an index. The test disables sequential scans, so the database uses a sequential
 * scan only if no index fits.
 */
class IndexUseIT {
    private static final String AVOID_SEQUENTIAL_SCANS = "&options=-c%20enable_seqscan=off";
    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));
    private static final String SEQUENTIAL_SCANS = """
            SELECT t.relname || ': ' || t.seq_scan FROM pg_stat_user_tables t
            JOIN pg_attribute a ON a.attrelid = t.relid AND a.attname = 'organization_id'
            -- No request reads the whole table. A job does so every ten minutes, to delete quotas unused for an hour.
            WHERE t.relname <> 'rate_limit'
            ORDER BY t.relname
            """;

    private static final String SESSIONS =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'okr-service'";
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    @Test
    void no_table_of_a_tenant_is_scanned_completely() throws IOException {
        OrganizationFile.write(folder, TOKEN);
        try (var database = CrashableDatabase.start(folder)) {
            // Migrations scan tables, which are empty then.
            start(database.jdbcUrl()).stop();
            awaitEndOfSessions(database);
            var before = database.column(SEQUENTIAL_SCANS);
            try (var service = start(database.jdbcUrl() + AVOID_SEQUENTIAL_SCANS)) {
                useEverything(Api.of(service.uri()).with(TOKEN));
                service.stop();
            }
            awaitEndOfSessions(database);
            assertThat(database.column(SEQUENTIAL_SCANS)).hasSizeGreaterThan(10).isEqualTo(before);
            // Checks that the statistics were collected.
            assertThat(database.column("SELECT idx_scan > 20 FROM pg_stat_user_tables WHERE relname = 'objective'"))
                    .containsExactly("t");
        }
    }

    /** The statistics of a session are complete when it has ended, shortly after its client disconnects. */
    private static void awaitEndOfSessions(CrashableDatabase database) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!database.column(SESSIONS).equals(List.of("0"))) {
            assertThat(Instant.now()).isBefore(deadline);
        }
    }

    private ServiceProcess start(String jdbcUrl) {
        return ServiceProcess.start(Map.of(
                "QUARKUS_DATASOURCE_JDBC_URL", jdbcUrl,
                "QUARKUS_DATASOURCE_USERNAME", CrashableDatabase.USERNAME,
                "QUARKUS_DATASOURCE_PASSWORD", "unused",
                "OKR_ENCRYPTION_KEY", TestDatabase.ENCRYPTION_KEY,
                "OKR_BOOTSTRAP_FILE", OrganizationFile.in(folder).toString(),
                "OKR_WEBHOOKS_ALLOW_HTTP", "true",
                "OKR_WEBHOOKS_ALLOWED_NETWORKS", "127.0.0.0/8",
                "OKR_CYCLES_MOVE_EVERY", "1s",
                "OKR_DELETED_OBJECTIVES_PRUNE_EVERY", "1s",
                "OKR_WEBHOOKS_PRUNE_EVERY", "1s"));
    }

    private static void changeTeamsAndUsers(Api api) {
        var user = created(api, "/v1/users", object("email", "eve@acme.test", "name", "Eve", "role", "admin"));
        api.put("/v1/users/" + user, object("active", false)).is(200);
        api.put("/v1/users/" + user, object("active", true)).is(200);
        var team = created(api, "/v1/teams", object("name", "New", "external_id", "new"));
        api.put("/v1/teams/" + team, object("name", "Newer", "external_id", "newer"))
                .is(200);
        var membership = "/v1/teams/" + team + "/members/" + user;
        api.put(membership, object("role", "member")).is(200);
        api.put(membership, object("role", "lead")).is(200);
        api.delete(membership).is(200);
        api.put(membership, object("role", "lead")).is(200);
        api.delete("/v1/teams/" + team).is(200);
    }

    private static void useEverything(Api api) {
        var me = api.get("/v1/users/me").is(200).id();
        var team = api.get("/v1/teams").is(200).ids().getFirst();
        var webhook = created(api, "/v1/webhooks", object("url", "http://127.0.0.1:9/closed", "events", List.of("*")));
        var cycle = created(
                api,
                "/v1/cycles",
                object("name", "Q1", "starts_at", "2026-01-01T00:00:00Z", "ends_at", "2126-01-01T00:00:00Z"));
        var newObjective = object("title", "Be found", "cycle_id", cycle, "team_id", team);
        var parent = created(api, "/v1/objectives", newObjective);
        var objective = created(api, "/v1/objectives", newObjective);
        var keyResults = "/v1/objectives/" + objective + "/key-results";
        var keyResult = created(
                api,
                keyResults,
                object("title", "Visits", "metric_type", "number", "start_value", 0, "target_value", 10));
        var checkIns = "/v1/key-results/" + keyResult + "/check-ins";
        var checkIn = created(api.header("Idempotency-Key", "once"), checkIns, object("value", 5));
        var contribution = object(
                "parent_objective_id", parent, "child_objective_id", objective, "alignment_type", "contributes_to");
        var alignment = created(api, "/v1/alignments", contribution);
        api.put("/v1/alignments/" + alignment, object("weight", 2)).is(200);
        api.get("/v1/objectives/" + parent + "/progress").is(200);
        for (var path : List.of(
                "/v1/users",
                "/v1/users?team_id=" + team,
                "/v1/users?email=ada@acme.test",
                "/v1/users?active=true&role=admin",
                "/v1/users?updated_since=2026-01-01T00:00:00Z",
                "/v1/users/" + me,
                "/v1/teams/" + team,
                "/v1/teams/" + team + "/objectives?cycle_id=" + cycle,
                "/v1/teams/" + team + "/objectives?include=key_results",
                "/v1/teams?external_id=x",
                "/v1/teams?name=x",
                "/v1/teams?updated_since=2026-01-01T00:00:00Z",
                "/v1/cycles?name=x",
                "/v1/cycles?status=active",
                "/v1/cycles?status=active,planned",
                "/v1/cycles?external_id=x",
                "/v1/cycles?updated_since=2026-01-01T00:00:00Z",
                "/v1/cycles/" + cycle,
                "/v1/objectives",
                "/v1/objectives?cursor=",
                "/v1/objectives?page=900",
                "/v1/objectives?cycle_id=" + cycle,
                "/v1/objectives?team_id=" + team,
                "/v1/objectives?owner_id=" + me,
                "/v1/objectives?status=at_risk",
                "/v1/objectives?status=at_risk,behind",
                "/v1/objectives?external_id=x",
                "/v1/objectives?updated_since=2026-01-01T00:00:00Z",
                "/v1/objectives?q=found",
                "/v1/objectives?q=found&cursor=",
                "/v1/objectives?q=found&cycle_id=" + cycle,
                "/v1/key-results?q=visits",
                "/v1/objectives?sort=title",
                "/v1/objectives?sort=-updated_at&cursor=",
                "/v1/objectives?sort=progress&cycle_id=" + cycle,
                "/v1/objectives?include=key_results",
                "/v1/key-results",
                "/v1/key-results/" + keyResult,
                "/v1/key-results?objective_id=" + objective,
                "/v1/key-results?cycle_id=" + cycle,
                "/v1/key-results?team_id=" + team,
                "/v1/key-results?owner_id=" + me,
                "/v1/key-results?metric_type=number",
                "/v1/key-results?external_id=x",
                "/v1/key-results?updated_since=2026-01-01T00:00:00Z",
                "/v1/key-results?stale_since=2026-01-01T00:00:00Z",
                "/v1/key-results?sort=progress",
                "/v1/check-ins",
                "/v1/check-ins?cursor=",
                "/v1/check-ins?key_result_id=" + keyResult,
                "/v1/check-ins?objective_id=" + objective,
                "/v1/check-ins?cycle_id=" + cycle,
                "/v1/check-ins?author_id=" + me,
                "/v1/check-ins?external_id=x",
                "/v1/check-ins?recorded_since=2026-01-01T00:00:00Z",
                "/v1/check-ins?recorded_before=2126-01-01T00:00:00Z",
                "/v1/check-ins?updated_since=2026-01-01T00:00:00Z",
                "/v1/objectives/" + objective,
                keyResults,
                keyResults + '/' + keyResult,
                checkIns,
                "/v1/alignments",
                "/v1/alignments?objective_id=" + objective,
                "/v1/alignments?updated_since=2026-01-01T00:00:00Z",
                "/v1/webhooks",
                "/v1/webhooks/" + webhook,
                "/v1/webhooks/" + webhook + "/deliveries",
                "/v1/webhooks/" + webhook + "/deliveries?status=pending",
                "/v1/events",
                "/v1/events?type=objective.created",
                "/v1/events?resource_id=" + objective,
                "/v1/events?since=2026-01-01T00:00:00Z",
                "/v1/events?order=asc",
                "/v1/events?order=asc&type=objective.created&since=2026-01-01T00:00:00Z")) {
            api.get(path).is(200);
        }
        changeTeamsAndUsers(api);
        api.put("/v1/cycles/" + cycle, object("name", "The first")).is(200);
        api.put("/v1/objectives/" + objective, object("status", "at_risk")).is(200);
        api.put(keyResults + '/' + keyResult, object("target_value", 20)).is(200);
        api.put(checkIns + '/' + checkIn, object("value", 6)).is(200);
        var item = object(
                "key_result_id", keyResult, "value", 7, "external_id", "y", "recorded_at", "2026-02-01T00:00:00Z");
        var history = api.post("/v1/check-ins/batch", object("check_ins", List.of(item)))
                .is(201)
                .ids();
        api.put(checkIns + '/' + checkIn, object("recorded_at", "2026-01-01T00:00:00Z"))
                .is(200);
        api.delete(checkIns + '/' + history.getFirst()).is(200);
        api.post("/v1/webhooks/" + webhook + "/ping", null).is(202);
        api.post("/v1/webhooks/" + webhook + "/recover", object("since", "2026-01-01T00:00:00Z"))
                .is(202);
        api.delete("/v1/alignments/" + alignment).is(200);
        api.delete(keyResults + '/' + keyResult).is(200);
        api.post("/v1/alignments", object("parent_objective_id", parent, "child_objective_id", objective))
                .is(201);
        var restored = created(
                api,
                keyResults,
                object("title", "Visits", "metric_type", "number", "start_value", 0, "target_value", 10));
        created(api, "/v1/key-results/" + restored + "/check-ins", object("value", 5, "external_id", "z"));
        api.delete("/v1/objectives/" + objective).is(200);
        api.get("/v1/deleted-objectives").is(200);
        api.get("/v1/deleted-objectives?cursor=").is(200);
        api.post("/v1/deleted-objectives/" + objective + "/restore", null).is(201);
        api.delete("/v1/objectives/" + objective).is(200);
        api.delete("/v1/objectives/" + parent).is(200);
        api.delete("/v1/cycles/" + cycle).is(200);
        api.delete("/v1/webhooks/" + webhook).is(200);
    }

    private static String created(Api api, String path, Object body) {
        return api.post(path, body).is(201).id();
    }
}
