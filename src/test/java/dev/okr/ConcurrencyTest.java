package dev.okr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The consistency of concurrent requests. */
@QuarkusTest
@Tag("long")
class ConcurrencyTest extends HttpTest {
    private static final int CHECK_INS = 200;

    @Test
    void the_progress_is_right_after_two_hundred_concurrent_check_ins() throws Exception {
        var cycle = newCycle();
        newObjective(cycle);
        var objective = newObjective(cycle);
        var keyResults = IntStream.range(0, 4)
                .mapToObj(i -> newKeyResult(objective, 0, 97))
                .toList();
        var done = new AtomicBoolean();
        try (var reader = Executors.newSingleThreadExecutor()) {
            var reads = reader.submit(() -> {
                int count = 0;
                while (!done.get()) {
                    requireConsistent(member.get(Paths.objective(objective)).is(200));
                    requireNewestShown(member.get(Paths.keyResult(objective, keyResults.getFirst()))
                            .is(200));
                    count++;
                }
                return count;
            });
            var answers = AtOnce.run(IntStream.range(0, CHECK_INS)
                    .<Callable<Answer>>mapToObj(i ->
                            () -> member.post(Paths.checkIns(keyResults.get(i % 4)), Requests.checkIn((i * 37) % 101)))
                    .toList());
            done.set(true);
            assertThat(answers).allSatisfy(answer -> answer.is(201));
            assertThat(reads.get(AtOnce.MAX_SECONDS, TimeUnit.SECONDS)).isPositive();
        }
        requireNewestRules(objective, keyResults);
        var progress = requireConsistent(member.get(Paths.objective(objective)));
        assertThat(member.get("/v1/cycles/" + cycle).number("overall_progress"))
                .isEqualByComparingTo(progress.divide(BigDecimal.valueOf(2), 4, RoundingMode.HALF_UP));
    }

    /** The newest check-in determines the value. No two check-ins have the same time. */
    private void requireNewestRules(String objective, List<String> keyResults) {
        for (var keyResult : keyResults) {
            var newest =
                    member.get(Paths.checkIns(keyResult) + "?per_page=1").data().get(0);
            assertThat(member.get(Paths.keyResult(objective, keyResult)).number("current_value"))
                    .isEqualByComparingTo(newest.get("value").decimalValue());
        }
        assertThat(TestDatabase.count(
                        "SELECT count(*) - count(DISTINCT (key_result_id, coalesce(recorded_at, created_at))) FROM check_in"
                                + " WHERE organization_id = ?",
                        acme.id()))
                .isZero();
    }

    /** The current value equals the value of the first check-in in the response. */
    private static void requireNewestShown(Answer keyResult) {
        var checkIns = keyResult.data().get("check_ins");
        var newest = checkIns.isEmpty()
                ? BigDecimal.ZERO
                : checkIns.get(0).get("value").decimalValue();
        assertThat(keyResult.number("current_value")).as(keyResult::toString).isEqualByComparingTo(newest);
    }

    /** The progress equals the mean progress of the key results in the response. */
    private static BigDecimal requireConsistent(Answer objective) {
        var shown = StreamSupport.stream(objective.data().get("key_results").spliterator(), false)
                .map(keyResult -> keyResult.get("progress").decimalValue())
                .toList();
        var mean = shown.stream()
                .reduce(BigDecimal.ZERO, BigDecimal::add)
                .divide(BigDecimal.valueOf(shown.size()), 4, RoundingMode.HALF_UP);
        assertThat(objective.number("progress")).as(objective::toString).isEqualByComparingTo(mean);
        return mean;
    }

    @RepeatedTest(5)
    void at_most_one_of_two_opposite_alignments_succeeds() throws Exception {
        var cycle = newCycle();
        var first = newObjective(cycle);
        var second = newObjective(cycle);
        var answers = AtOnce.run(List.of(
                () -> member.post("/v1/alignments", Requests.alignment(first, second)),
                () -> member.post("/v1/alignments", Requests.alignment(second, first))));
        assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(201, 409);
    }

    @RepeatedTest(3)
    void the_alignments_of_a_loop_never_all_succeed() throws Exception {
        var cycle = newCycle();
        var ring = IntStream.range(0, 6).mapToObj(i -> newObjective(cycle)).toList();
        var answers = AtOnce.run(IntStream.range(0, ring.size())
                .<Callable<Answer>>mapToObj(i -> () ->
                        member.post("/v1/alignments", Requests.alignment(ring.get(i), ring.get((i + 1) % ring.size()))))
                .toList());
        assertThat(answers).extracting(Answer::status).containsOnlyOnce(409).containsOnly(201, 409);
    }

    @RepeatedTest(3)
    void concurrent_requests_create_the_same_alignment_once() throws Exception {
        var cycle = newCycle();
        var parent = newObjective(cycle);
        var child = newObjective(cycle);
        var answers =
                AtOnce.run(AtOnce.times(8, () -> member.post("/v1/alignments", Requests.alignment(parent, child))));
        assertThat(answers).extracting(Answer::status).containsOnlyOnce(201).containsOnly(201, 409);
    }

    @RepeatedTest(5)
    void deleting_an_objective_during_writes_leaves_no_orphans() throws Exception {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var other = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        List<Callable<Answer>> requests = new ArrayList<>();
        requests.addAll(AtOnce.times(6, () -> member.post(Paths.checkIns(keyResult), Requests.checkIn(5))));
        requests.add(() -> member.delete(Paths.objective(objective)));
        requests.addAll(AtOnce.times(4, () -> member.post(Paths.keyResults(objective), Requests.keyResult(0, 5))));
        requests.add(() -> member.post("/v1/alignments", Requests.alignment(objective, other)));
        requests.add(() -> member.put(Paths.objective(objective), Map.of("title", "Changed")));

        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 201, 404, 422));

        member.get(Paths.objective(objective)).isNotFound();
        for (var table : List.of("key_result", "check_in", "alignment")) {
            assertThat(TestDatabase.count("SELECT count(*) FROM " + table + " WHERE organization_id = ?", acme.id()))
                    .as(table)
                    .isZero();
        }
    }

    @RepeatedTest(3)
    void only_one_of_many_concurrent_deletions_succeeds() throws Exception {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var alignment = newAlignment(objective, newObjective(cycle));
        for (var path : List.of(
                "/v1/alignments/" + alignment, Paths.keyResult(objective, keyResult), Paths.objective(objective))) {
            assertThat(AtOnce.run(AtOnce.times(8, () -> member.delete(path))))
                    .extracting(Answer::status)
                    .containsOnlyOnce(200)
                    .containsOnly(200, 404);
        }
    }

    @RepeatedTest(3)
    void the_progress_is_right_after_deleting_a_key_result_during_check_ins() throws Exception {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var deleted = newKeyResult(objective, 0, 10);
        var kept = newKeyResult(objective, 0, 10);
        List<Callable<Answer>> requests = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            var value = i;
            requests.add(() -> member.post(Paths.checkIns(deleted), Requests.checkIn(value)));
            requests.add(() -> member.post(Paths.checkIns(kept), Requests.checkIn(value)));
        }
        requests.add(3, () -> member.delete(Paths.keyResult(objective, deleted)));

        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 201, 404));

        requireNewestRules(objective, List.of(kept));
        var progress = requireConsistent(member.get(Paths.objective(objective)));
        assertThat(member.get(Paths.keyResult(objective, kept)).number("progress"))
                .isEqualByComparingTo(progress);
        assertThat(TestDatabase.count("SELECT count(*) FROM check_in WHERE organization_id = ?", acme.id()))
                .isEqualTo(8);
    }

    @RepeatedTest(3)
    void the_progress_of_both_cycles_is_right_after_moving_an_objective_during_check_ins() throws Exception {
        var from = newCycle();
        var to = newCycle();
        newObjective(to);
        var objective = newObjective(from);
        var keyResult = newKeyResult(objective, 0, 10);
        List<Callable<Answer>> requests = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            var value = i;
            requests.add(() -> member.post(Paths.checkIns(keyResult), Requests.checkIn(value)));
            var cycle = i % 2 == 0 ? to : from;
            requests.add(() -> member.put(Paths.objective(objective), Map.of("cycle_id", cycle)));
            requests.add(() -> member.get("/v1/cycles/" + cycle));
        }
        requests.add(() -> member.put(Paths.keyResult(objective, keyResult), Map.of("target_value", 20)));

        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 201));

        member.put(Paths.objective(objective), Map.of("cycle_id", to)).is(200);
        var last = member.get(Paths.keyResult(objective, keyResult));
        var progress = last.number("current_value").divide(BigDecimal.valueOf(20), 4, RoundingMode.HALF_UP);
        assertThat(last.number("progress")).isEqualByComparingTo(progress);
        assertThat(requireConsistent(member.get(Paths.objective(objective)))).isEqualByComparingTo(progress);
        assertThat(member.get("/v1/cycles/" + from).number("overall_progress")).isEqualByComparingTo("0");
        assertThat(member.get("/v1/cycles/" + to).number("overall_progress"))
                .isEqualByComparingTo(progress.divide(BigDecimal.valueOf(2), 4, RoundingMode.HALF_UP));
        assertThat(member.get("/v1/cycles/" + from).number("objectives_count")).isEqualByComparingTo("0");
        assertThat(member.get("/v1/cycles/" + to).number("objectives_count")).isEqualByComparingTo("2");
    }

    @RepeatedTest(3)
    void concurrent_changes_of_different_fields_are_both_stored() throws Exception {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        bothLast("/v1/cycles/" + cycle, "name", "New name", "ends_at", "2100-01-01T00:00:00Z");
        bothLast(Paths.objective(objective), "title", "New title", "description", "New description");
        bothLast(
                Paths.objective(objective),
                "status",
                "at_risk",
                "owner_id",
                acme.adminUser().id());
        bothLast(Paths.keyResult(objective, keyResult), "title", "New title", "target_value", 20);
        bothLast(Paths.checkIn(keyResult, checkIn), "value", 7, "note", "New note");
    }

    private void bothLast(String path, String one, Object first, String other, Object second) throws Exception {
        var answers = AtOnce.run(
                List.of(() -> admin.put(path, Map.of(one, first)), () -> admin.put(path, Map.of(other, second))));
        assertThat(answers).allSatisfy(answer -> answer.is(200));
        // An empty change returns the stored state.
        var last = admin.put(path, Map.of()).data();
        assertThat(last.get(one).asText()).as(path).isEqualTo(first.toString());
        assertThat(last.get(other).asText()).as(path).isEqualTo(second.toString());
    }

    @RepeatedTest(3)
    void one_of_two_contradicting_changes_is_refused() throws Exception {
        var path = "/v1/cycles/" + newCycle();
        var answers = AtOnce.run(List.of(
                () -> admin.put(path, Map.of("starts_at", "2099-03-15T00:00:00Z")),
                () -> admin.put(path, Map.of("ends_at", "2099-02-01T00:00:00Z"))));
        assertThat(answers).extracting(Answer::status).containsExactlyInAnyOrder(200, 422);
    }

    @Test
    void all_concurrent_first_requests_with_a_key_succeed() throws Exception {
        var fresh = acme.scoped("read");
        assertThat(AtOnce.run(AtOnce.times(AtOnce.CLIENTS, () -> fresh.get("/v1/users/me"))))
                .allSatisfy(answer -> assertThat(answer.is(200).id())
                        .isEqualTo(acme.adminUser().id()));
    }
}
