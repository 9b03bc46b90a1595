package dev.okr.operations.moving;

import static dev.okr.operations.moving.Moving.CYCLE;
import static dev.okr.operations.moving.Moving.fails;
import static dev.okr.operations.moving.Moving.file;
import static dev.okr.operations.moving.Moving.line;
import static dev.okr.operations.moving.Moving.succeeds;
import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Json;
import dev.okr.testing.ManyObjectives;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.testing.TestOrganization;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@QuarkusTest
class ImportTest extends HttpTest {
    private static final String OBJECTIVE = line("objective", "id", "o1", "title", "Win trust", "cycle_id", "q1");
    private static final String KEY_RESULT = line(
            "key_result",
            "id",
            "k1",
            "objective_id",
            "o1",
            "title",
            "Customers",
            "metric_type",
            "number",
            "start_value",
            0,
            "target_value",
            10);

    private static String checkIn(String id, Object value, String recordedAt) {
        return line("check_in", "id", id, "key_result_id", "k1", "value", value, "recorded_at", recordedAt);
    }

    /** The same file for an organisation with other users. */
    private static String addressedTo(TestOrganization other, String export, TestOrganization from) {
        return export.replace(from.adminUser().email(), other.adminUser().email())
                .replace(from.memberUser().email(), other.memberUser().email())
                .replace(from.viewerUser().email(), other.viewerUser().email());
    }

    @Test
    void an_export_can_be_imported_into_another_organisation() {
        var team = acme.team("Growth");
        acme.join(team, acme.memberUser(), "lead");
        acme.team("A team without members");
        var cycle = newCycle();
        var parent = newObjective(cycle);
        var child = newObjective(cycle);
        admin.put(Paths.objective(child), object("team_id", team.id(), "external_id", "jira-7"));
        var keyResult = newKeyResult(child, 0, 10);
        newKeyResult(parent, 0, 10);
        newCheckIn(keyResult, 2);
        newCheckIn(keyResult, 5);
        admin.put(Paths.keyResult(child, keyResult), object("weight", 2.5)).is(200);
        member.post(
                        "/v1/alignments",
                        object(
                                "parent_objective_id",
                                parent,
                                "child_objective_id",
                                child,
                                "alignment_type",
                                "contributes_to",
                                "weight",
                                3))
                .is(201);
        var completed = newCompletedCycle();
        newKeyResult(newObjective(completed), 0, 4);
        admin.send("POST", "/v1/cycles/" + completed + "/close", null).is(200);
        var exported = Moving.export(admin);
        var other = organization();
        var file = addressedTo(other, exported, acme);

        var imported = Moving.run(other.admin(), "", file);

        assertThat(imported.text("status")).as(imported::toString).isEqualTo("succeeded");
        var again = Moving.export(other.admin());
        assertThat(Moving.comparable(again)).isEqualTo(Moving.comparable(file));
        var second = Moving.run(other.admin(), "", file);
        succeeds(second, 0, 0, Moving.lines(file).size());
        assertThat(Moving.lines(Moving.export(other.admin()))).isEqualTo(Moving.lines(again));
        assertThat(Moving.data(again, "objective").stream()
                        .map(each -> each.get("progress").decimalValue())
                        .toList())
                .contains(new java.math.BigDecimal("0.375"));
    }

    @Test
    void cycle_names_that_the_api_accepts_can_be_imported() {
        for (var name : List.of("Wei\u00DF", "WEISS")) {
            admin.post("/v1/cycles", Requests.with(Requests.cycle(), "name", name))
                    .is(201);
        }
        var exported = Moving.export(admin);

        succeeds(Moving.run(admin, "", exported), 0, 0, Moving.lines(exported).size());
    }

    @Test
    void check_ins_determine_the_values_and_the_progress() {
        var file = file(
                CYCLE,
                OBJECTIVE,
                KEY_RESULT,
                checkIn("c1", 4, "2026-01-05T09:00:00Z"),
                checkIn("c2", 8, "2026-01-12T09:00:00Z"),
                checkIn("c3", 2, "2025-12-24T09:00:00Z"));

        succeeds(Moving.run(admin, "", file), 6, 0, 0);

        var objective = admin.get("/v1/objectives?external_id=o1").data().get(0);
        assertThat(objective.get("progress").decimalValue()).isEqualByComparingTo("0.8");
        assertThat(objective.get("owner_id").asText())
                .isEqualTo(acme.adminUser().id());
        assertThat(admin.get("/v1/key-results?external_id=k1")
                        .data()
                        .get(0)
                        .get("current_value")
                        .intValue())
                .isEqualTo(8);
        var cycle = admin.get("/v1/cycles?external_id=q1").data().get(0);
        assertThat(cycle.get("overall_progress").decimalValue()).isEqualByComparingTo("0.8");
        assertThat(cycle.get("objectives_count").intValue()).isOne();
        assertThat(admin.get("/v1/objectives?q=trust").ids())
                .containsExactly(objective.get("id").asText());
        succeeds(Moving.run(admin, "", file), 0, 0, 6);
        succeeds(Moving.run(admin, "", file(checkIn("c4", 10, "2026-02-01T09:00:00Z"))), 1, 0, 0);
        assertThat(admin.get("/v1/objectives?external_id=o1")
                        .data()
                        .get(0)
                        .get("progress")
                        .decimalValue())
                .isEqualByComparingTo("1");
    }

    @Test
    void imported_rows_are_events_once() {
        var events = new Events(service, admin);
        events.skip();

        Moving.run(admin, "", file(CYCLE, OBJECTIVE, KEY_RESULT, checkIn("c1", 4, "2026-01-05T09:00:00Z")));

        var first = events.next();
        assertThat(first.stream().map(Events.Event::type))
                .containsExactly("cycle.created", "objective.created", "key_result.created", "check_in.created");
        assertThat(first.get(1).data())
                .isEqualTo(admin.get("/v1/objectives?external_id=o1").data().get(0));
        Moving.run(admin, "", file(CYCLE, OBJECTIVE, KEY_RESULT, checkIn("c1", 4, "2026-01-05T09:00:00Z")));
        assertThat(events.next()).isEmpty();
        Moving.run(admin, "", file(checkIn("c1", 5, "2026-01-05T09:00:00Z")));
        assertThat(events.next().stream().map(Events.Event::type))
                .containsExactly("objective.updated", "key_result.updated", "check_in.updated");
    }

    @Test
    void a_changed_confidence_updates_the_key_result() {
        var keyResult = KEY_RESULT.replace("\"id\"", "\"updated_at\":\"2026-01-06T09:00:00Z\",\"id\"");
        Moving.run(admin, "", file(CYCLE, OBJECTIVE, keyResult, checkIn("c1", 4, "2026-01-05T09:00:00Z")));
        var before = admin.get("/v1/key-results?external_id=k1").data().get(0);
        var events = new Events(service, admin);
        events.skip();

        var changed = file(checkInWith("confidence", 3));
        succeeds(Moving.run(admin, "", changed), 0, 1, 0);

        var after = admin.get("/v1/key-results?external_id=k1").data().get(0);
        assertThat(after.get("confidence").intValue()).isEqualTo(3);
        assertThat(after.get("updated_at").asText())
                .isGreaterThan(before.get("updated_at").asText());
        var found = events.next();
        assertThat(found.stream().map(Events.Event::type)).containsExactly("key_result.updated", "check_in.updated");
        assertThat(found.getFirst().data()).isEqualTo(after);
        assertThat(found.getFirst().previous().has("confidence")).isTrue();
        succeeds(Moving.run(admin, "", changed), 0, 0, 1);
        Moving.run(admin, "", file(checkInWith("note", "Hi")));
        assertThat(events.nextTypes()).containsExactly("check_in.updated");
    }

    @Test
    void a_key_result_with_another_value_and_confidence_has_the_time_of_its_line() {
        var first = keyResult(3, "2026-01-06T09:00:00Z");
        Moving.run(admin, "", file(CYCLE, OBJECTIVE, first, checkIn("c1", 4, "2026-01-05T09:00:00Z")));

        var time = "2026-01-07T09:00:00Z";
        succeeds(Moving.run(admin, "", file(keyResult(7, time), checkInWith("confidence", 3))), 0, 2, 0);

        var after = admin.get("/v1/key-results?external_id=k1").data().get(0);
        assertThat(after.get("current_value").intValue()).isEqualTo(7);
        assertThat(after.get("confidence").intValue()).isEqualTo(3);
        assertThat(after.get("updated_at").asText()).isEqualTo(time);
    }

    private static String keyResult(int value, String updatedAt) {
        var fields = "\"current_value\":%d,\"updated_at\":\"%s\",\"id\"".formatted(value, updatedAt);
        return KEY_RESULT.replace("\"id\"", fields);
    }

    private static String checkInWith(String field, Object value) {
        var recordedAt = "2026-01-05T09:00:00Z";
        return line("check_in", "id", "c1", "key_result_id", "k1", "value", 4, field, value, "recorded_at", recordedAt);
    }

    /** A client that starts while an import reads its file gets the events of the import. */
    @Test
    void imported_events_have_the_times_at_which_they_are_written() throws Exception {
        final String id;
        final Instant written;
        try (var connection = TestDatabase.connect();
                var lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT 1 FROM organization WHERE id = '%s' FOR NO KEY UPDATE".formatted(acme.id()));
            id = Moving.post(admin, "", file(CYCLE, OBJECTIVE).getBytes(StandardCharsets.UTF_8))
                    .is(202)
                    .id();
            await(
                    () -> TestDatabase.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE '%FROM organization%'")
                            > 0,
                    () -> "the import waits for the lock");
            written = Instant.now();
            connection.rollback();
        }
        succeeds(Moving.await(admin, id), 2, 0, 0);

        assertThat(admin.get("/v1/events?since=" + written).is(200).data())
                .extracting(event -> event.get("type").textValue())
                .containsExactly("objective.created", "cycle.created");
    }

    @Test
    void an_attempt_that_waits_too_long_for_a_lock_does_not_count() throws Exception {
        final String id;
        try (var connection = TestDatabase.connect();
                var lock = connection.createStatement()) {
            connection.setAutoCommit(false);
            lock.execute("SELECT 1 FROM organization WHERE id = '%s' FOR NO KEY UPDATE".formatted(acme.id()));
            id = Moving.post(admin, "", file(CYCLE, OBJECTIVE).getBytes(StandardCharsets.UTF_8))
                    .is(202)
                    .id();
            // One attempt is left.
            TestDatabase.execute("UPDATE import SET attempts = attempts + 49 WHERE organization_id = ?", acme.id());
            var leases = new HashSet<Long>();
            await(
                    () -> {
                        leases.add(TestDatabase.count(
                                "SELECT hashtext(lease::text) FROM import WHERE organization_id = ?", acme.id()));
                        return leases.size() > 2;
                    },
                    () -> "several attempts");
            connection.rollback();
        }
        succeeds(Moving.await(admin, id), 2, 0, 0);
    }

    /** A dry run holds the same locks as an import. */
    @Test
    void an_admin_who_imports_can_be_demoted() {
        var other = acme.user("Other admin", "admin").api();
        var objectives = IntStream.range(0, 60_000)
                .mapToObj(i -> OBJECTIVE.replace("o1", "o" + i))
                .collect(Collectors.joining("\n"));
        var id = Moving.post(admin, "?dry_run=true", file(CYCLE, objectives).getBytes(StandardCharsets.UTF_8))
                .is(202)
                .id();
        var staged = new BigDecimal("0.21");
        await(
                () -> other.get("/v1/imports/" + id).number("progress").compareTo(staged) > 0,
                () -> "the import holds the lock on the organisation");
        var path = "/v1/users/" + acme.adminUser().id();
        await(() -> other.put(path, object("role", "viewer")).status() == 200, () -> "the demotion");
        var ended = Moving.await(other, id);
        assertThat(ended.text("status")).isEqualTo("failed");
        assertThat(ended.data().get("errors").findValuesAsText("code")).containsExactly("forbidden");
    }

    @Test
    void a_dry_run_counts_and_writes_nothing() {
        var before = Moving.lines(Moving.export(admin));

        var checked = Moving.run(admin, "?dry_run=true", file(CYCLE, OBJECTIVE, KEY_RESULT));

        succeeds(checked, 3, 0, 0);
        assertThat(checked.data().get("dry_run").booleanValue()).isTrue();
        assertThat(Moving.lines(Moving.export(admin))).isEqualTo(before);
    }

    @Test
    void one_bad_line_leaves_everything_as_it_was() {
        var before = Moving.lines(Moving.export(admin));

        var failed = Moving.run(
                admin,
                "",
                file(
                        CYCLE,
                        OBJECTIVE,
                        KEY_RESULT.replace("\"target_value\":10", "\"target_value\":\"x\""),
                        "{\"type\":\"goal\"}",
                        "no JSON",
                        line("objective", "id", "o2", "title", "Two", "cycle_id", "q9", "unknown", 1),
                        line("objective", "id", "o1", "title", "Same", "cycle_id", "q1"),
                        line("alignment", "parent_objective_id", "o1", "child_objective_id", "o1"),
                        line("user", "email", organization().adminUser().email(), "name", "X", "role", "member")));

        fails(
                failed,
                "3 /data/target_value invalid_type",
                "4 /type invalid_value",
                "5 malformed_line",
                "6 /data/unknown unknown_field",
                "7 /data/id duplicate",
                "8 /data/child_objective_id equals_parent",
                "9 /data/email conflict");
        assertThat(failed.number("rejected").intValue()).isEqualTo(7);
        assertThat(Moving.lines(Moving.export(admin))).isEqualTo(before);
    }

    @Test
    void lines_may_name_lines_that_follow() {
        succeeds(
                Moving.run(
                        admin,
                        "",
                        file(
                                line("alignment", "parent_objective_id", "o1", "child_objective_id", "o2"),
                                KEY_RESULT,
                                line("objective", "id", "o2", "title", "Two", "cycle_id", "q1"),
                                OBJECTIVE,
                                CYCLE)),
                5,
                0,
                0);
    }

    @Test
    void an_objective_has_at_most_1000_contributions_above() {
        var lines = new ArrayList<String>();
        lines.add(CYCLE);
        for (int i = 0; i <= 66; i++) {
            lines.add(line("objective", "id", "o" + i, "title", "O", "cycle_id", "q1"));
        }
        for (int i = 1; i <= 33; i++) {
            for (int j = 34; j <= 66; j++) {
                lines.add(contribution("o" + i, "o" + j));
            }
            lines.add(contribution("o" + (i + 33), "o0"));
        }
        fails(Moving.run(admin, "", file(lines.toArray(String[]::new))), lines.size() + " limit_reached");
    }

    @Test
    void stored_contributions_above_objectives_below_the_new_ones_count() {
        var stored = new ArrayList<String>();
        stored.add(CYCLE);
        for (int i = 0; i <= 63; i++) {
            stored.add(line("objective", "id", "o" + i, "title", "O", "cycle_id", "q1"));
        }
        // 962 alignments are above o0, and none above o1.
        for (int i = 1; i <= 31; i++) {
            for (int j = 33; i > 1 && j <= 63; j++) {
                stored.add(contribution("o" + i, "o" + j));
            }
            stored.add(contribution("o" + (i + 32), "o0"));
        }
        stored.add(contribution("o1", "o0"));
        Moving.run(admin, "", file(stored.toArray(String[]::new)));
        var more = new ArrayList<String>();
        for (int i = 64; i <= 102; i++) {
            more.add(line("objective", "id", "o" + i, "title", "O", "cycle_id", "q1"));
            more.add(contribution("o" + i, "o1"));
        }
        var added = more.toArray(String[]::new);
        fails(Moving.run(admin, "", file(added)), added.length + " limit_reached");
        var exactly1000 = Arrays.copyOf(added, added.length - 2);
        succeeds(Moving.run(admin, "", file(exactly1000)), exactly1000.length, 0, 0);
    }

    private static String contribution(String parent, String child) {
        return line(
                "alignment",
                "parent_objective_id",
                parent,
                "child_objective_id",
                child,
                "alignment_type",
                "contributes_to");
    }

    @Test
    void alignments_close_no_loop() {
        fails(
                Moving.run(
                        admin,
                        "",
                        file(
                                CYCLE,
                                OBJECTIVE,
                                line("objective", "id", "o2", "title", "Two", "cycle_id", "q1"),
                                line("alignment", "parent_objective_id", "o1", "child_objective_id", "o2"),
                                line("alignment", "parent_objective_id", "o2", "child_objective_id", "o1"))),
                "4 /data/child_objective_id conflict",
                "5 /data/child_objective_id conflict");
    }

    @Test
    void a_cycle_has_one_copy_of_an_objective() {
        var copy = line("objective", "id", "o2", "title", "Copy", "cycle_id", "q2", "carried_over_from", "o1");
        var cycles = file(
                CYCLE,
                CYCLE.replace("q1", "q2").replace("Q1", "Q2"),
                CYCLE.replace("q1", "q3").replace("Q1", "Q3"));
        fails(
                Moving.run(admin, "", cycles + file(OBJECTIVE, copy, copy.replace("o2", "o3"))),
                "6 /data/carried_over_from duplicate");
        fails(
                Moving.run(admin, "", cycles + file(OBJECTIVE, copy, copy.replace("o2", "o3"), "{}")),
                "6 /data/carried_over_from duplicate",
                "7 /type invalid_value");
        succeeds(
                Moving.run(
                        admin,
                        "",
                        cycles + file(OBJECTIVE, copy, copy.replace("o2", "o4").replace("q2", "q3"))),
                6,
                0,
                0);
        // The cycle has a copy already.
        fails(
                Moving.run(admin, "", cycles + file(OBJECTIVE, copy, copy.replace("o2", "o3"))),
                "6 /data/carried_over_from duplicate");
        var first = line("objective", "id", "o2", "title", "Copy", "cycle_id", "q3");
        var second = line("objective", "id", "o4", "title", "Copy", "cycle_id", "q2");
        var q1 = file(first.replace("q3", "q1"), second.replace("q2", "q1"));
        fails(Moving.run(admin, "", q1), "2 /data/cycle_id duplicate");
        fails(Moving.run(admin, "", q1 + file("{}")), "2 /data/cycle_id duplicate", "3 /type invalid_value");
        fails(Moving.run(admin, "", first), "1 /data/cycle_id duplicate");
        // Two copies can exchange their cycles.
        fails(Moving.run(admin, "", file(first, second, "{}")), "3 /type invalid_value");
        succeeds(Moving.run(admin, "", file(first, second)), 0, 2, 0);
        var original = admin.get("/v1/objectives?external_id=o1").data().get(0).get("id");
        for (var id : List.of("o2", "o4")) {
            var moved = admin.get("/v1/objectives?external_id=" + id).data().get(0);
            assertThat(moved.get("carried_over_from")).isEqualTo(original);
        }
    }

    @Test
    void two_lines_of_a_type_have_no_common_external_id() {
        var keyed = "\"external_id\":\"x\",\"id\":";
        var objective = OBJECTIVE.replace("\"id\":", keyed);
        var keyResult = KEY_RESULT.replace("\"id\":", keyed);
        var checkIn = checkIn("c1", 4, "2026-01-05T09:00:00Z").replace("\"id\":", keyed);
        var team = line("team", "external_id", "x", "id", "t1", "name", "One");
        var cycle = CYCLE.replace("\"id\":", keyed);
        fails(
                Moving.run(
                        admin,
                        "",
                        file(
                                cycle,
                                cycle.replace("q1", "q2"),
                                objective,
                                objective.replace("o1", "o2"),
                                keyResult,
                                keyResult.replace("k1", "k2"),
                                checkIn,
                                checkIn.replace("c1", "c2"),
                                team,
                                team.replace("t1", "t2"))),
                "2 /data/id duplicate",
                "4 /data/id duplicate",
                "6 /data/id duplicate",
                "8 /data/id duplicate",
                "10 /data/id duplicate");
    }

    @Test
    void nothing_is_written_in_a_closed_cycle() {
        var completed = newCompletedCycle();
        var objective = newObjective(completed);
        var sibling = newObjective(completed);
        var keyResult = newKeyResult(objective, 0, 10);
        newCheckIn(keyResult, 5);
        var outside = newObjective();
        newAlignment(outside, objective);
        admin.send("POST", "/v1/cycles/" + completed + "/close", null).is(200);
        var exported = Moving.export(admin);
        var newKeyResult = KEY_RESULT.replace("o1", objective);
        var newCheckIn = checkIn("c1", 6, "2026-01-05T09:00:00Z").replace("k1", keyResult);

        fails(
                Moving.run(
                        admin,
                        "",
                        file(
                                line("objective", "id", "o9", "title", "New", "cycle_id", completed),
                                line("objective", "id", objective, "title", "Changed", "cycle_id", completed),
                                line("objective", "id", outside, "title", "Moved", "cycle_id", completed),
                                newKeyResult,
                                newCheckIn,
                                line("alignment", "parent_objective_id", outside, "child_objective_id", sibling),
                                exported("objective", exported, sibling, "cycle_id", newCycle()),
                                exported("key_result", exported, keyResult, "weight", 2),
                                exported("check_in", exported, keyResult, "value", 7),
                                exported("alignment", exported, outside, "weight", 2),
                                exported("cycle", exported, completed, "starts_at", "2020-01-01T00:00:00Z"))),
                "1 /data/cycle_id cycle_closed",
                "2 cycle_closed",
                "3 cycle_closed",
                "4 /data/objective_id cycle_closed",
                "5 /data/key_result_id cycle_closed",
                "6 /data/child_objective_id cycle_closed",
                "7 cycle_closed",
                "8 cycle_closed",
                "9 cycle_closed",
                "10 cycle_closed",
                "11 /data/starts_at cycle_closed");
        assertThat(Moving.lines(Moving.export(admin)).stream()
                        .map(Object::toString)
                        .toList())
                .containsAll(
                        Moving.lines(exported).stream().map(Object::toString).toList());
        assertThat(Moving.run(admin, "", exported).text("status")).isEqualTo("succeeded");
    }

    /** The exported line that contains the id, with one field changed. */
    private static String exported(String type, String export, String id, String field, Object value) {
        var data = Moving.data(export, type).stream()
                .filter(each -> each.toString().contains(id))
                .findFirst()
                .orElseThrow();
        return Json.write(object("type", type, "data", ((ObjectNode) data.deepCopy()).putPOJO(field, value)));
    }

    @Test
    void imported_check_ins_of_the_past_appear_in_the_history() {
        var file = file(
                CYCLE.replace("2098", "2026"),
                OBJECTIVE,
                KEY_RESULT,
                checkIn("c1", 4, "2026-01-05T09:00:00Z"),
                checkIn("c2", 8, "2026-02-12T09:00:00Z"));
        succeeds(Moving.run(admin, "", file), 5, 0, 0);
        var cycle = admin.get("/v1/cycles?external_id=q1").ids().getFirst();
        var points = viewer.get("/v1/cycles/" + cycle + "/progress-history?interval=month&to=2026-03-15T00:00:00Z")
                .is(200)
                .data()
                .get("points");
        assertThat(points)
                .extracting(point -> point.get("at").textValue()
                        + ' '
                        + point.get("progress").decimalValue().toPlainString())
                .containsExactly("2026-02-01T00:00:00Z 0.4", "2026-03-01T00:00:00Z 0.8", "2026-03-15T00:00:00Z 0.8");
    }

    @Test
    void a_newer_check_in_rules_also_if_the_line_repeats_the_old_value() {
        var lines = file(
                CYCLE,
                OBJECTIVE,
                line(
                        "key_result",
                        "id",
                        "k1",
                        "objective_id",
                        "o1",
                        "title",
                        "Sales",
                        "metric_type",
                        "number",
                        "start_value",
                        0,
                        "target_value",
                        10,
                        "current_value",
                        4),
                line("check_in", "id", "c1", "key_result_id", "k1", "value", 4, "recorded_at", "2026-01-05T00:00:00Z"));
        succeeds(Moving.run(admin, "", lines), 4, 0, 0);
        succeeds(
                Moving.run(
                        admin,
                        "",
                        lines
                                + line(
                                        "check_in",
                                        "id",
                                        "c2",
                                        "key_result_id",
                                        "k1",
                                        "value",
                                        9,
                                        "recorded_at",
                                        "2026-01-12T00:00:00Z")
                                + "\n"),
                1,
                0,
                4);
        assertThat(admin.get("/v1/key-results?external_id=k1")
                        .is(200)
                        .data()
                        .get(0)
                        .get("current_value")
                        .intValue())
                .isEqualTo(9);
    }

    @Test
    void a_user_line_without_active_leaves_a_deactivated_user_deactivated() {
        var user = acme.user("Mary Jackson", "member");
        admin.put("/v1/users/" + user.id(), object("active", false)).is(200);
        succeeds(
                Moving.run(
                        admin, "", file(line("user", "email", user.email(), "name", "Mary Winston", "role", "member"))),
                0,
                1,
                0);
        var changed = admin.get("/v1/users/" + user.id()).is(200);
        assertThat(changed.text("name")).isEqualTo("Mary Winston");
        assertThat(changed.data().get("active").booleanValue()).isFalse();
    }

    @Test
    void an_idempotency_key_of_a_dry_run_does_not_stand_for_the_import() {
        var lines = file(CYCLE).getBytes(StandardCharsets.UTF_8);
        var keyed = admin.header("Idempotency-Key", "file-1");
        var dryRun = Moving.post(keyed, "?dry_run=true", lines).is(202).id();
        assertThat(Moving.post(keyed, "?dry_run=true", lines).is(202).id()).isEqualTo(dryRun);
        Moving.post(keyed, "", lines).isProblem(422, "idempotency_mismatch");
    }

    @Test
    void long_lines_are_read_a_few_at_a_time() {
        var padding = " ".repeat(1_000_000);
        var lines = IntStream.range(0, 40)
                .mapToObj(i -> padding
                        + line(
                                "cycle",
                                "id",
                                "q" + i,
                                "name",
                                "Q" + i,
                                "starts_at",
                                "2026-01-01T00:00:00Z",
                                "ends_at",
                                "2026-04-01T00:00:00Z"))
                .toArray(String[]::new);
        assertThat(Moving.run(admin, "", file(lines)).data().get("created").intValue())
                .isEqualTo(40);
    }

    /** The statistics of a table with millions of rows take a second of the database's processor time. */
    @Test
    void an_import_collects_no_statistics_of_much_larger_tables() {
        assumeFalse(TestDatabase.isDistributed());
        try {
            // Imports of other tests can still collect statistics.
            await(() -> !importCollectsStatisticsOfCheckIns(), () -> "The statistics of check-ins are collected.");
        } finally {
            TestDatabase.execute("ANALYZE check_in, alignment");
        }
    }

    private boolean importCollectsStatisticsOfCheckIns() {
        // Other tests can fill the table of alignments.
        TestDatabase.execute("UPDATE pg_class SET reltuples = 0 WHERE oid = 'alignment'::regclass");
        TestDatabase.execute("UPDATE pg_class SET reltuples = 1000000 WHERE oid = 'check_in'::regclass");
        long ofCheckIns = analyses("check_in");
        long ofAlignments = analyses("alignment");
        var objectives = Stream.generate(UUID::randomUUID)
                .limit(1_000)
                .map(id -> line("objective", "id", id.toString(), "title", "Win trust", "cycle_id", "q1"));
        var imported = Moving.run(
                admin, "", file(Stream.concat(Stream.of(CYCLE), objectives).toArray(String[]::new)));
        assertThat(imported.text("status")).isEqualTo("succeeded");
        // It comes after check_in.
        await(() -> analyses("alignment") > ofAlignments, () -> "no statistics");
        return analyses("check_in") != ofCheckIns;
    }

    /** These are more alignments than an import keeps in memory at once. */
    @Test
    void an_import_rolls_up_through_30000_alignments() {
        var cycle = newCycle();
        var parents = ManyObjectives.insert(acme, cycle, 100);
        var children = ManyObjectives.insert(acme, cycle, 300);
        ManyObjectives.align(acme, parents, children);
        TestDatabase.execute("""
                INSERT INTO key_result (organization_id, id, external_id, objective_id, title, metric_type, start_value,
                    current_value, target_value, progress, owner_id, created_at, updated_at)
                SELECT ?, gen_random_uuid(), 'k' || n, c, 'K', 'number', 0, 0, 10, 0, ?, now(), now()
                FROM unnest(?::uuid[]) WITH ORDINALITY each (c, n)
                """, acme.id(), acme.adminUser().uuid(), ManyObjectives.array(children));
        var checkIns = IntStream.rangeClosed(1, 300)
                .mapToObj(n -> line(
                        "check_in",
                        "id",
                        "c" + n,
                        "key_result_id",
                        "k" + n,
                        "value",
                        n % 11,
                        "recorded_at",
                        "2026-01-05T09:00:00Z"));
        succeeds(Moving.run(admin, "", file(checkIns.toArray(String[]::new))), 300, 0, 0);
        int sum = IntStream.rangeClosed(1, 300).map(n -> n % 11).sum();
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM objective WHERE organization_id = ? AND id = ANY (?::uuid[])"
                                + " AND progress = round(?::numeric / 3000, 4)",
                        acme.id(),
                        ManyObjectives.array(parents),
                        sum))
                .isEqualTo(100);
        // One event for each parent, although all groups of children are below it. A value of 0 changes nothing.
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM event WHERE organization_id = ? AND type = 'objective.updated'",
                        acme.id()))
                .isEqualTo(100
                        + IntStream.rangeClosed(1, 300).filter(n -> n % 11 > 0).count());
    }

    @Test
    void an_organisation_has_at_most_5000_cycles() {
        var cycle = newCycle();
        TestDatabase.execute("""
                INSERT INTO cycle (organization_id, id, name, starts_at, ends_at, status, created_at, updated_at)
                SELECT ?, gen_random_uuid(), 'C' || n, now(), now() + interval '1 day', 'active', now(), now()
                FROM generate_series(1, 4998) n
                """, acme.id());
        admin.post("/v1/cycles", Requests.uniqueCycle()).is(201);
        admin.post("/v1/cycles", Requests.uniqueCycle()).isProblem(422, "limit_reached");
        Moving.fails(Moving.run(admin, "", file(CYCLE)), "1 limit_reached");
        admin.put("/v1/cycles/" + cycle, Map.of("name", "Renamed")).is(200);
    }

    /** Before the first import, an organisation can have key results of only one objective. */
    @Test
    void an_import_scans_no_tables_because_of_old_statistics() {
        assumeFalse(TestDatabase.isDistributed());
        addKeyResults(20_000);
        TestDatabase.execute("ALTER TABLE key_result ALTER objective_id SET (n_distinct = 1)");
        TestDatabase.execute("ANALYZE key_result");
        try {
            TestDatabase.count("SELECT 1 FROM pg_stat_force_next_flush()");
            long scans = ofKeyResults("seq_scan");
            long inserted = ofKeyResults("n_tup_ins");
            var lines = Stream.concat(
                    Stream.of(CYCLE),
                    IntStream.range(0, 100)
                            .mapToObj(String::valueOf)
                            .flatMap(id -> Stream.of(
                                    OBJECTIVE.replace("o1", id),
                                    KEY_RESULT.replace("o1", id).replace("k1", id))));
            succeeds(Moving.run(admin, "", file(lines.toArray(String[]::new))), 201, 0, 0);
            await(() -> ofKeyResults("n_tup_ins") >= inserted + 100, () -> "no statistics");
            assertThat(ofKeyResults("seq_scan")).isLessThan(scans + 50);
        } finally {
            TestDatabase.execute("ALTER TABLE key_result ALTER objective_id RESET (n_distinct)");
            TestDatabase.execute("ANALYZE key_result");
        }
    }

    private void addKeyResults(int number) {
        TestDatabase.execute(
                """
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value, current_value,
                    target_value, progress, owner_id, created_at, updated_at)
                SELECT ?, gen_random_uuid(), ?, 'K', 'number', 0, 0, 10, 0, ?, now(), now() FROM generate_series(1, ?)
                """,
                acme.id(),
                IdKind.OBJECTIVE.require(newObjective(newCycle())),
                acme.adminUser().uuid(),
                number);
    }

    private static long ofKeyResults(String counter) {
        return TestDatabase.count(
                "SELECT " + counter + " FROM pg_stat_user_tables WHERE relid = 'key_result'::regclass");
    }

    private static long analyses(String table) {
        return TestDatabase.count("SELECT analyze_count FROM pg_stat_user_tables WHERE relid = ?::regclass", table);
    }

    @Test
    void a_request_for_the_head_of_an_export_leaves_room_for_exports() {
        for (int i = 0; i < 3; i++) {
            admin.send("HEAD", "/v1/export", null).is(200);
        }
        Moving.export(admin);
    }

    @Test
    void only_admins_import_and_export() {
        member.get("/v1/export").isProblem(403, "forbidden");
        member.get("/v1/imports").isProblem(403, "forbidden");
        Moving.post(member, "", "{}".getBytes()).isProblem(403, "forbidden");
        admin.get("/v1/imports/imp_01k9m2x7q4e8rvb3t5w6y0zacd").isNotFound();
        Moving.post(admin, "?dry_run=yes", "{}".getBytes()).isMalformed();
        Moving.post(admin, "", new byte[0]).isMalformed();
        admin.post("/v1/imports", "{}").isProblem(415, "unsupported_media_type");
        admin.header("Content-Type", "application/x-ndjson")
                .post("/v1/cycles", "{}")
                .isProblem(415, "unsupported_media_type");
        assertThat(admin.get("/v1/imports").is(200).ids()).isEqualTo(List.of());
    }
}
