package dev.okr.objectives.overview;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ManyObjectives;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class HistoryTest extends HttpTest {
    private final Instant start = Instant.now().minus(Duration.ofDays(10)).truncatedTo(ChronoUnit.SECONDS);
    private String cycle;

    @BeforeEach
    void startCycle() {
        cycle = newCycle(start, start.plus(Duration.ofDays(20)));
    }

    @Test
    void the_progress_follows_the_time_of_measurement() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        checkIn(keyResult, 8, day(5.5));
        checkIn(keyResult, 2, day(1.5));
        checkIn(keyResult, 5, day(3));

        for (var path : List.of(ofObjective(objective), ofCycle(cycle))) {
            var history = viewer.get(path).is(200);
            assertThat(history.text("interval")).isEqualTo("day");
            assertThat(times(history))
                    .startsWith(day(1), day(2), day(3), day(4))
                    .last()
                    .satisfies(last -> assertThat(last).isBetween(start.plus(Duration.ofDays(10)), Instant.now()));
            assertThat(progress(history))
                    .containsExactly("0", "0.2", "0.5", "0.5", "0.5", "0.8", "0.8", "0.8", "0.8", "0.8", "0.8");
        }
    }

    @Test
    void the_history_of_weeks_has_a_point_for_each_week_and_one_for_now() {
        var objective = newObjective(cycle);
        checkIn(newKeyResult(objective, 0, 10), 5, day(6));
        var history = viewer.get(ofObjective(objective) + "?interval=week").is(200);
        assertThat(times(history)).hasSize(2).startsWith(day(7));
        assertThat(progress(history)).containsExactly("0.5", "0.5");
        assertThat(progress(viewer.get(ofObjective(objective) + "?interval=month")))
                .containsExactly("0.5");
    }

    @Test
    void without_an_interval_a_long_history_has_weeks_or_months() {
        var team = acme.team("Growth").id();
        cycle = newCycle(day(-500), day(10));
        var objective = objectiveOf(team);
        for (var path : List.of(ofObjective(objective), ofCycle(cycle), ofTeam(team) + "?cycle_id=" + cycle)) {
            var history = viewer.get(path).is(200);
            assertThat(history.text("interval")).isEqualTo("week");
            assertThat(times(history)).hasSize(73).startsWith(day(-493));
        }
        viewer.get(ofCycle(cycle) + "?interval=day").isMalformed();
        assertThat(viewer.get(ofCycle(newCycle(day(-4_000), day(10)))).is(200).text("interval"))
                .isEqualTo("month");
    }

    @Test
    void from_and_to_select_another_time() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        checkIn(keyResult, 3, day(-2));
        checkIn(keyResult, 6, day(2));
        var history = viewer.get(ofObjective(objective) + "?from=" + day(-3) + "&to=" + day(1))
                .is(200);
        assertThat(times(history)).containsExactly(day(-2), day(-1), day(0), day(1));
        assertThat(progress(history)).containsExactly("0.3", "0.3", "0.3", "0.3");
    }

    @Test
    void the_last_check_in_before_a_point_counts() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        for (var at : List.of(1.2, 1.8, 1.5, 4.0, 3.6, 3.999)) {
            checkIn(keyResult, at == 1.8 || at == 4.0 ? 9 : 1, day(at));
        }
        checkIn(keyResult, 4, day(6.4));
        checkIn(keyResult, 2, day(6.2));
        assertThat(progress(viewer.get(ofObjective(objective) + "?to=" + day(6)).is(200)))
                .containsExactly("0", "0.9", "0.9", "0.9", "0.9", "0.9");
        assertThat(progress(viewer.get(ofObjective(objective)).is(200)).getLast())
                .isEqualTo("0.4");
    }

    @Test
    void the_last_point_is_the_present_progress() {
        var first = newObjective(cycle);
        var second = newObjective(cycle);
        newCheckIn(newKeyResult(first, 0, 3), 1);
        newCheckIn(newKeyResult(first, 0, 7), 5);
        newCheckIn(newKeyResult(second, 9, 2), 4);
        assertThat(last(viewer.get(ofCycle(cycle))))
                .isEqualByComparingTo(viewer.get("/v1/cycles/" + cycle).number("overall_progress"));
        assertThat(last(viewer.get(ofObjective(first))))
                .isEqualByComparingTo(viewer.get(Paths.objective(first)).number("progress"));
        var ended = newCompletedCycle();
        var late = newObjective(ended);
        newCheckIn(newKeyResult(late, 0, 10), 4);
        var history = viewer.get(ofCycle(ended)).is(200);
        assertThat(times(history).getLast())
                .isEqualTo(Instant.parse(viewer.get("/v1/cycles/" + ended).text("ends_at")));
        assertThat(last(history)).isEqualByComparingTo("0.4");
    }

    @Test
    void children_that_contribute_count_in_the_past_and_others_do_not() {
        var grandparent = newObjective(cycle);
        var parent = newObjective(newCycle());
        var child = newObjective(newCycle());
        var supporter = newObjective(newCycle());
        contribute(grandparent, parent);
        contribute(parent, child);
        newAlignment(grandparent, supporter);
        checkIn(newKeyResult(grandparent, 0, 10), 10, day(4.5));
        checkIn(newKeyResult(child, 0, 10), 4, day(1.5));
        checkIn(newKeyResult(child, 0, 10), 10, day(2.5));
        checkIn(newKeyResult(supporter, 0, 10), 10, day(0.5));
        var to = "?to=" + day(5);
        assertThat(progress(viewer.get(ofObjective(child) + "?from=" + start + "&to=" + day(5))))
                .containsExactly("0", "0.2", "0.7", "0.7", "0.7");
        assertThat(progress(viewer.get(ofObjective(grandparent) + to)))
                .containsExactly("0", "0.1", "0.35", "0.35", "0.85");
        assertThat(progress(viewer.get(ofCycle(cycle) + to))).containsExactly("0", "0.1", "0.35", "0.35", "0.85");
    }

    @Test
    void the_past_has_the_weights_of_today() {
        var parent = newObjective(cycle);
        var child = newObjective(cycle);
        var heavy = newKeyResult(child, 0, 10);
        member.put(Paths.keyResult(child, heavy), object("weight", 3)).is(200);
        checkIn(heavy, 4, day(1.5));
        checkIn(newKeyResult(child, 0, 10), 10, day(2.5));
        checkIn(newKeyResult(parent, 0, 3), 1, day(1.5));
        var alignment = contribute(parent, child);
        member.put("/v1/alignments/" + alignment, object("weight", new BigDecimal("0.5")))
                .is(200);
        assertThat(progress(viewer.get(ofObjective(child) + "?to=" + day(3)))).containsExactly("0", "0.3", "0.55");
        // (0.3333 + 0.5 * 0.3) / 1.5 and (0.3333 + 0.5 * 0.55) / 1.5
        assertThat(progress(viewer.get(ofObjective(parent) + "?to=" + day(3))))
                .containsExactly("0", "0.3222", "0.4055");
        assertThat(last(viewer.get(ofObjective(parent)))).isEqualByComparingTo("0.4055");
        assertThat(progress(viewer.get(ofCycle(cycle))))
                .startsWith("0", "0.3111", "0.4778")
                .endsWith("0.4778");
        member.put("/v1/alignments/" + alignment, object("weight", 0)).is(200);
        assertThat(progress(viewer.get(ofObjective(parent) + "?to=" + day(3))))
                .containsExactly("0", "0.3333", "0.3333");
    }

    @Test
    void a_value_that_was_set_without_a_check_in_counts_from_that_time() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        checkIn(keyResult, 2, day(1));
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 9))
                .is(200);
        setValuesAt(keyResult, day(4.5));
        checkIn(keyResult, 5, day(7.5));
        assertThat(progress(viewer.get(ofObjective(objective))))
                .containsExactly("0.2", "0.2", "0.2", "0.2", "0.9", "0.9", "0.9", "0.5", "0.5", "0.5", "0.5");
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 7))
                .is(200);
        assertThat(last(viewer.get(ofObjective(objective)))).isEqualByComparingTo("0.7");
        assertThat(progress(viewer.get(ofObjective(objective)))).endsWith("0.5", "0.7");
        // Set values return with a restored objective.
        member.delete(Paths.objective(objective)).is(200);
        member.post("/v1/deleted-objectives/" + objective + "/restore", null).is(201);
        assertThat(progress(viewer.get(ofObjective(objective)))).contains("0.9");
    }

    @Test
    void a_set_value_does_not_show_after_the_check_in_before_it_is_deleted() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        checkIn(keyResult, 2, day(1.5));
        checkIn(keyResult, 6, day(2.5));
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 9))
                .is(200);
        setValuesAt(keyResult, day(4.5));
        assertThat(progress(viewer.get(ofObjective(objective) + "?to=" + day(6))))
                .containsExactly("0", "0.2", "0.6", "0.6", "0.9", "0.9");
        var last = viewer.get(Paths.checkIns(keyResult)).ids().getFirst();
        member.delete(Paths.checkIn(keyResult, last)).is(200);
        assertThat(progress(viewer.get(ofObjective(objective) + "?to=" + day(6))))
                .containsExactly("0", "0.2", "0.2", "0.2", "0.2", "0.2");
    }

    @Test
    void from_100_set_values_on_each_update_replaces_those_of_the_same_quarter_of_an_hour() {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        insertSetValues(keyResult, 1, 100, Duration.ofSeconds(1));
        for (int value = 5; value <= 9; value++) {
            member.put(Paths.keyResult(objective, keyResult), object("current_value", value))
                    .is(200);
        }
        // Two are added if the requests cross the end of a quarter.
        assertThat(setValues(keyResult)).isBetween(101L, 102L);
        assertThat(progress(viewer.get(ofObjective(objective)))).endsWith("0", "0.9");
    }

    /** With 1,001 set values, the last one before each point is looked up. With 1,000, all are read. */
    @Test
    void many_set_values_give_the_same_history_as_few() {
        var many = newObjective(cycle);
        var few = newObjective(cycle);
        insertSetValues(newKeyResult(many, 0, 10), 0, 1_000, Duration.ofMinutes(10));
        insertSetValues(newKeyResult(few, 0, 10), 1, 1_000, Duration.ofMinutes(10));
        assertThat(progress(viewer.get(ofObjective(many))))
                .startsWith("0.4", "0.8", "0.2", "0.6")
                .isEqualTo(progress(viewer.get(ofObjective(few))));
    }

    /** Inserts values with these numbers. Each value is the last digit of its number. The last one is the current. */
    private void insertSetValues(String keyResult, int first, int last, Duration distance) {
        TestDatabase.execute(
                "INSERT INTO key_result_value SELECT ?, ?, ?::timestamptz + i * ?::interval, i % 10"
                        + " FROM generate_series(?, ?) i",
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult),
                start.atOffset(ZoneOffset.UTC),
                distance.toString(),
                first,
                last);
        setCurrentValue(keyResult, last % 10);
    }

    private void setCurrentValue(String keyResult, int value) {
        TestDatabase.execute(
                "UPDATE key_result SET current_value = ? WHERE organization_id = ? AND id = ?",
                value,
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
    }

    private long setValues(String keyResult) {
        return TestDatabase.count(
                "SELECT count(*) FROM key_result_value WHERE organization_id = ? AND key_result_id = ?",
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
    }

    /** With 1,001 check-ins, the last one before each point is looked up. With 1,000, all are read. */
    @Test
    void many_check_ins_give_the_same_history_as_few() {
        for (int seed = 0; seed < 5; seed++) {
            var many = newObjective(cycle);
            var few = newObjective(cycle);
            var random = new Random(seed);
            insertCheckIns(newKeyResult(many, 0, 10), new Random(seed), 0);
            insertCheckIns(newKeyResult(few, 0, 10), new Random(seed), 1);
            var query = "?from=" + day(-1) + "&to=" + day(2 + random.nextInt(8));
            assertThat(progress(viewer.get(ofObjective(many) + query)))
                    .hasSizeGreaterThan(2)
                    .isEqualTo(progress(viewer.get(ofObjective(few) + query)));
            assertThat(progress(viewer.get(ofObjective(many)))).isEqualTo(progress(viewer.get(ofObjective(few))));
        }
    }

    /** Some have the time of a point, and some days have none. The first ones, which can be omitted, never count. */
    private void insertCheckIns(String keyResult, Random random, int omitted) {
        var id = IdKind.KEY_RESULT.require(keyResult);
        int emptyDay = random.nextInt(8);
        var times = new TreeSet<>(List.of(day(-3), day(-2.9), day(1), day(5)));
        while (times.size() < 1_001) {
            double at = random.nextDouble() * 10 - 2;
            if ((int) at != emptyDay) {
                times.add(day(at).truncatedTo(ChronoUnit.MICROS));
            }
        }
        int value = 0;
        for (var at : times.stream().skip(omitted).toList()) {
            value = Math.floorMod(at.hashCode(), 10);
            TestDatabase.execute(
                    "INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, recorded_at,"
                            + " created_at, updated_at) VALUES (?, gen_random_uuid(), ?, ?, ?, ?, now(), now())",
                    acme.id(),
                    id,
                    value,
                    acme.memberUser().uuid(),
                    at.atOffset(ZoneOffset.UTC));
        }
        for (var at : List.of(day(1), day(4.2), day(random.nextDouble() * 8))) {
            TestDatabase.execute(
                    "INSERT INTO key_result_value VALUES (?, ?, ?, ?)",
                    acme.id(),
                    id,
                    at.atOffset(ZoneOffset.UTC),
                    random.nextInt(10));
        }
        TestDatabase.execute(
                "UPDATE key_result SET current_value = ? WHERE organization_id = ? AND id = ?", value, acme.id(), id);
    }

    private void setValuesAt(String keyResult, Instant time) {
        TestDatabase.execute(
                "UPDATE key_result_value SET set_at = ? WHERE organization_id = ? AND key_result_id = ?",
                time.atOffset(ZoneOffset.UTC),
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
    }

    @Test
    void a_closed_cycle_keeps_its_final_progress() {
        var closed = newCompletedCycle();
        var parent = newObjective(closed);
        newCheckIn(newKeyResult(parent, 0, 10), 5);
        var child = newObjective();
        var keyResult = newKeyResult(child, 0, 10);
        contribute(parent, child);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        var before = last(viewer.get(ofCycle(closed)));
        newCheckIn(keyResult, 10);
        assertThat(last(viewer.get(ofCycle(closed)))).isEqualByComparingTo(before);
        assertThat(last(viewer.get(ofObjective(parent) + "?to=" + Instant.now().plusSeconds(60))))
                .isEqualByComparingTo(before);
    }

    @Test
    void the_history_of_a_team_contains_its_objectives_in_a_cycle() {
        var team = acme.team("Growth");
        var ours = objectiveOf(team.id());
        checkIn(newKeyResult(ours, 0, 10), 6, day(2.5));
        checkIn(newKeyResult(newObjective(cycle), 0, 10), 10, day(1));
        var other = newCycle(start, start.plus(Duration.ofDays(40)));
        var history = viewer.get(ofTeam(team.id()) + "?cycle_id=" + cycle + "&to=" + day(4));
        assertThat(progress(history)).containsExactly("0", "0", "0.6", "0.6");
        becomesActive(cycle);
        becomesActive(other);
        // The active cycle that ends first.
        assertThat(progress(viewer.get(ofTeam(team.id()) + "?to=" + day(4)))).containsExactly("0", "0", "0.6", "0.6");
        assertThat(progress(viewer.get(ofTeam(team.id()) + "?cycle_id=" + other)))
                .isNotEmpty()
                .containsOnly("0");
        assertThat(progress(viewer.get(ofTeam(team.id()) + "?cycle_id=cyc_unknown")))
                .isEmpty();
    }

    @Test
    void there_are_no_points_in_the_future() {
        var future = newCycle();
        assertThat(times(viewer.get(ofCycle(future)).is(200))).isEmpty();
        assertThat(times(viewer.get(ofCycle(newCompletedCycle()) + "?interval=month")))
                .isNotEmpty();
    }

    @Test
    void invalid_parameters_are_malformed() {
        for (var path : List.of(
                ofObjective(newObjective(cycle)),
                ofCycle(cycle),
                ofTeam(acme.team("Growth").id()) + "?cycle_id=" + cycle)) {
            var next = path + (path.contains("?") ? "&" : "?");
            admin.get(next + "from=yesterday").isMalformed();
            admin.get(next + "interval=hour").isMalformed();
            admin.get(next + "from=" + day(3) + "&to=" + day(3)).isMalformed();
            admin.get(next + "page=1").isMalformed();
            admin.get(next + "to=" + day(1) + "&to=" + day(2)).isMalformed();
            assertThat(admin.get(next + "interval=day&from=2020-01-01T00:00:00Z")
                            .isMalformed()
                            .detail())
                    .contains("at most 400 points");
        }
    }

    @Test
    void resources_of_another_organisation_are_not_found() {
        var other = organization().admin();
        other.get(ofObjective(newObjective(cycle))).isNotFound();
        other.get(ofCycle(cycle)).isNotFound();
        other.get(ofTeam(acme.team("Growth").id())).isNotFound();
        var theirs = other.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        assertThat(progress(viewer.get(ofTeam(acme.team("Sales").id()) + "?from=" + start + "&cycle_id=" + theirs)))
                .isEmpty();
    }

    @Test
    void a_history_waits_for_no_writer() throws Exception {
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        checkIn(keyResult, 5, day(1));
        try (var connection = TestDatabase.connect()) {
            lock(connection, objective);
            assertThat(last(viewer.get(ofCycle(cycle)).is(200))).isEqualByComparingTo("0.5");
            connection.rollback();
        }
    }

    /** The lock on a table stops the history in its last statement. The history then holds all its other locks. */
    @Test
    void no_writer_waits_for_a_history() throws Exception {
        assumeThat(TestDatabase.isDistributed()).isFalse();
        var objective = newObjective(cycle);
        checkIn(newKeyResult(objective, 0, 10), 5, day(1));
        try (var connection = TestDatabase.connect();
                var client = Executors.newSingleThreadExecutor()) {
            connection.setAutoCommit(false);
            try (var statement = connection.createStatement()) {
                statement.execute("LOCK TABLE key_result_value IN ACCESS EXCLUSIVE MODE");
            }
            var history = client.submit(() -> viewer.get(ofCycle(cycle)));
            await(() -> locksOfHistory("held.mode = 'AccessShareLock'") > 3, () -> "the history waits");
            assertThat(locksOfHistory("held.mode <> 'AccessShareLock'")).isZero();
            connection.rollback();
            assertThat(last(history.get(AtOnce.MAX_SECONDS, TimeUnit.SECONDS))).isEqualByComparingTo("0.5");
        }
    }

    private static long locksOfHistory(String condition) {
        return TestDatabase.count("""
                SELECT count(*) FROM pg_locks waiting JOIN pg_locks held ON held.pid = waiting.pid
                WHERE waiting.relation = 'key_result_value'::regclass AND waiting.mode = 'AccessShareLock'
                    AND NOT waiting.granted AND held.granted AND held.locktype <> 'virtualxid' AND
                """ + condition);
    }

    private void lock(Connection connection, String objective) throws Exception {
        connection.setAutoCommit(false);
        try (var statement = connection.prepareStatement(
                "SELECT 1 FROM objective WHERE organization_id = ? AND id = ? FOR UPDATE")) {
            statement.setObject(1, acme.id());
            statement.setObject(2, IdKind.OBJECTIVE.require(objective));
            statement.executeQuery();
        }
    }

    /** Such a history is begun again with another permit. */
    @Test
    void the_history_of_many_aligned_objectives_has_all_points() {
        cycle = newCycle(day(-385), day(10));
        var objectives = ManyObjectives.insert(acme, cycle, 1_300);
        ManyObjectives.align(acme, objectives.subList(0, 1), objectives.subList(1, objectives.size()));
        assertThat(times(viewer.get(ofCycle(cycle) + "?interval=day").is(200))).hasSizeBetween(390, 400);
    }

    private String newCycle(Instant from, Instant to) {
        return admin.post(
                        "/v1/cycles",
                        Requests.with(Requests.uniqueCycle(), "starts_at", from.toString(), "ends_at", to.toString()))
                .is(201)
                .id();
    }

    private void becomesActive(String id) {
        TestDatabase.execute(
                "UPDATE cycle SET status = 'active' WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.CYCLE.require(id));
    }

    private String objectiveOf(String team) {
        return member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "team_id", team))
                .is(201)
                .id();
    }

    private String contribute(String parent, String child) {
        return member.post(
                        "/v1/alignments",
                        Requests.with(Requests.alignment(parent, child), "alignment_type", "contributes_to"))
                .is(201)
                .id();
    }

    private void checkIn(String keyResult, Object value, Instant recordedAt) {
        member.post(Paths.checkIns(keyResult), object("value", value, "recorded_at", recordedAt.toString()))
                .is(201);
    }

    private Instant day(double days) {
        return start.plusSeconds(Math.round(days * 86_400));
    }

    private static List<Instant> times(Answer history) {
        var times = new ArrayList<Instant>();
        history.data()
                .get("points")
                .forEach(point -> times.add(Instant.parse(point.get("at").textValue())));
        return times;
    }

    private static List<String> progress(Answer history) {
        var progress = new ArrayList<String>();
        history.is(200)
                .data()
                .get("points")
                .forEach(point -> progress.add(point.get("progress")
                        .decimalValue()
                        .stripTrailingZeros()
                        .toPlainString()));
        return progress;
    }

    private static BigDecimal last(Answer history) {
        return new BigDecimal(progress(history).getLast());
    }

    private static String ofObjective(String objective) {
        return Paths.objective(objective) + "/progress-history";
    }

    private static String ofCycle(String cycle) {
        return "/v1/cycles/" + cycle + "/progress-history";
    }

    private static String ofTeam(String team) {
        return "/v1/teams/" + team + "/progress-history";
    }
}
