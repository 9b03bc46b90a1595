package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.ManyObjectives;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Many check-ins with one request. */
@QuarkusTest
class CheckInBatchTest extends HttpTest {
    private static final String BATCH = "/v1/check-ins/batch";
    private static final int CLIENTS = 32;

    /** Shorter than the lock timeout of a large batch (0.4 s). */
    private static final Duration ENOUGH_FOR_THE_SECOND_BATCH = Duration.ofMillis(200);

    private static final int WAITING_BATCHES = 6;

    private String cycle;
    private String objective;
    private String first;
    private String second;

    @BeforeEach
    void createKeyResults() {
        cycle = newCycle();
        objective = newObjective(cycle);
        first = newKeyResult(objective, 0, 10);
        second = newKeyResult(objective, 0, 10);
    }

    @Test
    void check_ins_apply_in_the_order_of_the_request() {
        var other = newKeyResult(newObjective(cycle), 0, 4);
        var created = member.post(
                        BATCH,
                        batch(
                                object("key_result_id", first, "value", 4, "note", " Why ", "confidence", 7),
                                object("key_result_id", second, "increment", new BigDecimal("2.5")),
                                object("key_result_id", first, "increment", 1, "external_id", "ci-1"),
                                object("key_result_id", other, "value", 1),
                                object("key_result_id", second, "value", 9, "recorded_at", "2024-01-01T00:00:00Z")))
                .is(201);
        assertThat(created.data().findValuesAsText("value")).containsExactly("4", "2.5", "5", "1", "9");
        assertThat(created.data().findValuesAsText("key_result_id"))
                .containsExactly(first, second, first, other, second);
        assertThat(created.header("Location")).hasValue("/v1/check-ins");
        assertThat(created.header("ETag")).isEmpty();
        assertThat(viewer.get(Paths.checkIns(first)).data())
                .containsExactly(created.data().get(2), created.data().get(0));
        assertThat(viewer.get(Paths.checkIns(second)).data())
                .containsExactly(created.data().get(1), created.data().get(4));
        assertThat(viewer.get("/v1/key-results/" + first).number("current_value"))
                .isEqualTo("5");
        assertThat(viewer.get("/v1/key-results/" + first).data().has("confidence"))
                .isFalse();
        assertThat(viewer.get("/v1/key-results/" + second).number("current_value"))
                .isEqualTo("2.5");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0.375");
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualTo("0.3125");
    }

    @Test
    void the_events_are_those_of_single_check_ins_with_one_update_of_each_resource() {
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        var created = member.post(
                        BATCH,
                        batch(
                                object("key_result_id", first, "value", 2),
                                object("key_result_id", second, "value", 0),
                                object("key_result_id", first, "value", 4)))
                .is(201);
        var happened = events.next();
        assertThat(happened)
                .extracting(Events.Event::type)
                .containsExactly(
                        "check_in.created",
                        "check_in.created",
                        "check_in.created",
                        "key_result.updated",
                        "objective.updated");
        assertThat(IntStream.range(0, 3).mapToObj(i -> happened.get(i).data()).toList())
                .containsExactlyElementsOf(created.data());
        assertThat(happened.get(3).previous().get("current_value").asInt()).isZero();
        assertThat(happened.get(3).data().get("current_value").asInt()).isEqualTo(4);
        assertThat(happened.get(4).data())
                .isEqualTo(viewer.get("/v1/objectives").data().get(0));
    }

    @Test
    void one_wrong_check_in_of_a_thousand_writes_nothing() {
        var items = new ArrayList<Map<String, Object>>();
        for (int i = 0; i < 1_000; i++) {
            items.add(object("key_result_id", i % 2 == 0 ? first : second, "increment", 1));
        }
        items.set(917, object("key_result_id", first, "value", "5", "surprise", 1));
        member.post(BATCH, object("check_ins", items))
                .isInvalid("/check_ins/917/value invalid_type", "/check_ins/917/surprise unknown_field");
        nothingWasWritten();
        items.set(917, object("key_result_id", second, "increment", 1));
        assertThat(member.post(BATCH, object("check_ins", items)).is(201).data())
                .hasSize(1_000);
        assertThat(viewer.get("/v1/key-results/" + first).number("current_value"))
                .isEqualTo("500");
        items.add(object("key_result_id", first, "increment", 1));
        member.post(BATCH, object("check_ins", items)).isInvalid("/check_ins too_long");
    }

    @Test
    void the_pointers_name_the_check_in() {
        var flag = member.post(
                        Paths.keyResults(objective), Requests.with(Requests.keyResult(0, 1), "metric_type", "boolean"))
                .id();
        member.post(
                        BATCH,
                        batch(
                                object("key_result_id", first, "value", 1),
                                object("key_result_id", "kr_x", "value", true, "confidence", 11),
                                object("value", 1),
                                object("key_result_id", flag, "value", 2),
                                object("key_result_id", flag, "increment", 1),
                                object("key_result_id", first, "value", 1, "recorded_at", "1999-01-01T00:00:00Z"),
                                object("key_result_id", 5),
                                object("key_result_id", first, "value", 1, "increment", 1),
                                object("key_result_id", first, "increment", 1, "recorded_at", "2024-01-01T00:00:00Z")))
                .isInvalid(
                        "/check_ins/7/increment conflicting_field",
                        "/check_ins/8/recorded_at conflicting_field",
                        "/check_ins/1/key_result_id unknown_reference",
                        "/check_ins/1/value invalid_type",
                        "/check_ins/1/confidence out_of_range",
                        "/check_ins/2/key_result_id required",
                        "/check_ins/3/value invalid_value",
                        "/check_ins/4/increment invalid_value",
                        "/check_ins/5/recorded_at out_of_range",
                        "/check_ins/6/key_result_id invalid_type",
                        "/check_ins/6/value required");
        member.post(
                        BATCH,
                        batch(
                                object("key_result_id", first, "value", new BigDecimal("99999999999")),
                                object("key_result_id", first, "increment", 1)))
                .isInvalid("/check_ins/1/increment out_of_range");
        member.post(BATCH, object("check_ins", List.of(1, object()))).isInvalid("/check_ins/0 invalid_type");
        member.post(BATCH, object("check_ins", List.of())).isInvalid("/check_ins too_short");
        member.post(BATCH, object("check_ins", object())).isInvalid("/check_ins invalid_type");
        member.post(BATCH, object()).isInvalid("/check_ins required");
        member.post(BATCH, "[]").isMalformed();
        nothingWasWritten();
    }

    @Test
    void a_conflict_names_the_check_in_and_writes_nothing() {
        var taken = member.post(
                        Paths.checkIns(first),
                        object("value", 0, "recorded_at", "2024-01-01T00:00:00Z", "external_id", "taken"))
                .is(201)
                .id();
        assertConflict("/check_ins/1/recorded_at: ", taken, object("recorded_at", "2024-01-01T00:00:00Z"));
        assertConflict("/check_ins/1/external_id: ", taken, object("external_id", "taken"));
        assertConflict("/check_ins/2/external_id: ", "ci_", object("external_id", "x"), object("external_id", "x"));
        assertConflict(
                "/check_ins/2/recorded_at: ",
                "ci_",
                object("recorded_at", "2025-01-01T00:00:00Z"),
                object("recorded_at", "2025-01-01T00:00:00Z"));
        assertThat(viewer.get("/v1/check-ins").meta().get("total").intValue()).isOne();
    }

    @SafeVarargs
    private void assertConflict(String start, String detail, Map<String, Object>... more) {
        var items = new ArrayList<Map<String, Object>>();
        items.add(object("key_result_id", second, "value", 1));
        for (var fields : more) {
            var item = object("key_result_id", first, "value", 1);
            item.putAll(fields);
            items.add(item);
        }
        assertThat(member.post(BATCH, object("check_ins", items))
                        .isProblem(409, "conflict")
                        .detail())
                .startsWith(start)
                .contains(detail);
    }

    @Test
    void another_organisations_key_result_is_unknown() {
        var other = organization();
        other.admin()
                .post(BATCH, batch(object("key_result_id", first, "value", 1)))
                .isInvalid("/check_ins/0/key_result_id unknown_reference");
        nothingWasWritten();
    }

    @Test
    void a_viewer_cannot_check_in_and_a_key_needs_the_scope() {
        var body = batch(object("key_result_id", first, "value", 1));
        viewer.post(BATCH, body).isProblem(403, "forbidden");
        acme.scoped("read", "webhooks").post(BATCH, body).isProblem(403, "insufficient_scope");
        stranger().post(BATCH, body).isProblem(401, "unauthenticated");
        member.post(BATCH + "?page=1", body).isMalformed();
        nothingWasWritten();
    }

    @Test
    void a_repeated_batch_is_executed_once() {
        var once = member.header("Idempotency-Key", "once");
        var body = batch(object("key_result_id", first, "increment", 1));
        var answer = once.post(BATCH, body).is(201);
        var repeated = once.post(BATCH, body).is(201);
        assertThat(repeated.header("Idempotency-Replayed")).hasValue("true");
        assertThat(repeated.bytes()).isEqualTo(answer.bytes());
        assertThat(viewer.get("/v1/key-results/" + first).number("current_value"))
                .isEqualTo("1");
    }

    @Test
    void a_batch_of_more_than_a_mebibyte_is_too_large() {
        var items = IntStream.range(0, 300)
                .mapToObj(i -> object("key_result_id", first, "value", i, "note", "a".repeat(4_000)))
                .toList();
        member.post(BATCH, object("check_ins", items)).isProblem(413, "body_too_large");
        nothingWasWritten();
    }

    @RepeatedTest(3)
    void batches_in_opposite_orders_do_not_block_each_other() throws Exception {
        var cycles = List.of(cycle, newCycle());
        var keyResults = IntStream.range(0, 20)
                .mapToObj(i -> newKeyResult(newObjective(cycles.get(i % 2)), 0, 1_000))
                .toList();
        var forth = increments(keyResults);
        var back = increments(keyResults.reversed());
        List<Callable<Answer>> requests = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            requests.add(() -> member.post(BATCH, forth));
            requests.add(() -> admin.post(BATCH, back));
            requests.add(() -> member.post(Paths.checkIns(keyResults.getFirst()), object("increment", 1)));
        }
        assertThat(AtOnce.run(requests)).allSatisfy(answer -> answer.is(201));
        assertThat(viewer.get("/v1/key-results/" + keyResults.getFirst()).number("current_value"))
                .isEqualTo("24");
        assertThat(viewer.get("/v1/key-results/" + keyResults.getLast()).number("current_value"))
                .isEqualTo("16");
        for (var each : cycles) {
            requireExactProgress(each);
        }
    }

    /** The progress of a cycle is the mean of its objectives, and of an objective the mean of its key results. */
    private void requireExactProgress(String each) {
        var list = Events.export(viewer, "/v1/objectives?include=key_results&cycle_id=" + each);
        var sum = BigDecimal.ZERO;
        for (var item : list) {
            var keyResults = StreamSupport.stream(item.get("key_results").spliterator(), false)
                    .map(keyResult -> keyResult.get("progress").decimalValue())
                    .toList();
            var mean = keyResults.stream()
                    .reduce(BigDecimal.ZERO, BigDecimal::add)
                    .divide(BigDecimal.valueOf(Math.max(1, keyResults.size())), 4, java.math.RoundingMode.HALF_UP);
            assertThat(item.get("progress").decimalValue()).isEqualByComparingTo(mean);
            sum = sum.add(mean);
        }
        assertThat(viewer.get("/v1/cycles/" + each).number("overall_progress"))
                .isEqualByComparingTo(sum.divide(BigDecimal.valueOf(list.size()), 4, java.math.RoundingMode.HALF_UP));
    }

    @Test
    void concurrent_increments_add_up_exactly() throws Exception {
        List<Callable<Answer>> requests = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            Api api = client % 2 == 0 ? member : admin;
            for (int i = 0; i < 5; i++) {
                requests.add(() -> api.post(Paths.checkIns(first), object("increment", 1)));
            }
            requests.add(() -> api.post(BATCH, batch(increment(first), increment(second), increment(first))));
        }
        assertThat(AtOnce.run(requests)).allSatisfy(answer -> answer.is(201));
        assertThat(viewer.get("/v1/key-results/" + first).number("current_value"))
                .isEqualTo(String.valueOf(CLIENTS * 7));
        assertThat(viewer.get("/v1/key-results/" + second).number("current_value"))
                .isEqualTo(String.valueOf(CLIENTS));
        requireExactProgress(cycle);
    }

    /** Large batches can need much memory. So the second one waits for the first one, not for a lock. */
    @Test
    @DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "waits on another server")
    void an_organisation_runs_one_large_batch_at_once() throws Exception {
        var other = newKeyResult(newObjective(cycle), 0, 10);
        try (var connection = TestDatabase.connect();
                var clients = Executors.newFixedThreadPool(2)) {
            connection.setAutoCommit(false);
            lockObjectives(connection);
            var batches = List.of(
                    clients.submit(() -> keyed("1").post(BATCH, large(first))),
                    clients.submit(() -> keyed("2").post(BATCH, large(other))));
            await(() -> waitingForLocks() > 0, () -> "the first batch waits");
            Thread.sleep(ENOUGH_FOR_THE_SECOND_BATCH);
            assertThat(waitingForLocks()).isLessThanOrEqualTo(1);
            // The only one is the session of this test. The second batch has no transaction.
            await(() -> idleInTransactions() == 1, () -> "another transaction is idle");
            connection.rollback();
            for (var batch : batches) {
                // On a slow machine, the first batch may wait too long for the lock.
                assertThat(batch.get(AtOnce.MAX_SECONDS, TimeUnit.SECONDS).status())
                        .isIn(201, 503);
            }
        }
    }

    /** A page of the default size is large too if its objectives have many key results. */
    @Test
    @DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "waits on another server")
    void a_page_with_many_key_results_waits_for_a_large_batch() throws Exception {
        newObjective(cycle);
        newObjective(cycle);
        acme.addKeyResults(100);
        var path = "/v1/objectives?include=key_results";
        try (var connection = TestDatabase.connect();
                var clients = Executors.newCachedThreadPool()) {
            connection.setAutoCommit(false);
            lockObjectives(connection);
            // They run one after the other. Together they wait 2.4 s for the lock.
            for (int i = 0; i < WAITING_BATCHES; i++) {
                clients.submit(() -> member.post(BATCH, large(first)));
            }
            await(() -> waitingForLocks() > 0, () -> "the batch waits");
            var page = clients.submit(() -> viewer.get(path));
            viewer.get(path + "&per_page=2").is(200);
            Thread.sleep(ENOUGH_FOR_THE_SECOND_BATCH);
            assertThat(page.isDone()).isFalse();
            connection.rollback();
            // On a slow machine, the page may wait too long.
            assertThat(page.get(AtOnce.MAX_SECONDS, TimeUnit.SECONDS).status()).isIn(200, 503);
        }
        viewer.get(path).is(200);
    }

    private void lockObjectives(Connection connection) throws SQLException {
        try (var statement =
                connection.prepareStatement("SELECT 1 FROM objective WHERE organization_id = ? FOR UPDATE")) {
            statement.setObject(1, acme.id());
            statement.executeQuery();
        }
    }

    /** A request with an idempotency key begins its transaction before the service reads the body. */
    private Api keyed(String key) {
        return member.header("Idempotency-Key", key);
    }

    /** The service keeps all of these alignments in memory. */
    @Test
    void a_batch_has_at_most_5000_alignments_above_its_objectives() {
        var others = List.of(newObjective(cycle), newObjective(cycle));
        var keyResults = others.stream().map(each -> newKeyResult(each, 0, 10)).toList();
        others.forEach(each -> contributeToMany(each, 2_500));
        contributeToMany(others.getFirst(), 1);
        member.post(BATCH, increments(keyResults)).isProblem(422, "limit_reached");
        nothingWasWritten();
        TestDatabase.execute(
                "DELETE FROM alignment WHERE organization_id = ? AND id = (SELECT max(id::text)::uuid FROM alignment"
                        + " WHERE organization_id = ?)",
                acme.id(),
                acme.id());
        // On a slow machine, the batch can take longer than a request may last.
        assertThat(member.post(BATCH, increments(keyResults)).status()).isIn(201, 503);
    }

    private void contributeToMany(String child, int number) {
        var parents = ManyObjectives.insert(acme, cycle, number);
        ManyObjectives.align(acme, parents, List.of(IdKind.OBJECTIVE.require(child)));
    }

    private static long waitingForLocks() {
        return TestDatabase.count("SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event_type = 'Lock'");
    }

    private static long idleInTransactions() {
        return TestDatabase.count("SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND state = 'idle in transaction'");
    }

    private static Map<String, Object> large(String keyResult) {
        return object("check_ins", Collections.nCopies(101, increment(keyResult)));
    }

    private static Map<String, Object> increments(List<String> keyResults) {
        return object(
                "check_ins",
                keyResults.stream().map(CheckInBatchTest::increment).toList());
    }

    private static Map<String, Object> increment(String keyResult) {
        return object("key_result_id", keyResult, "increment", 1);
    }

    @SafeVarargs
    private static Map<String, Object> batch(Map<String, Object>... items) {
        return object("check_ins", List.of(items));
    }

    private void nothingWasWritten() {
        assertThat(TestDatabase.count("SELECT count(*) FROM check_in WHERE organization_id = ?", acme.id()))
                .isZero();
        assertThat(viewer.get("/v1/key-results/" + first).number("current_value"))
                .isEqualTo("0");
    }
}
