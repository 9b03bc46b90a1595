package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.RecordedStatements;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.DisabledOnIntegrationTest;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Progress that rolls up through contributing alignments. */
@QuarkusTest
@Tag("long")
class RollUpTest extends HttpTest {
    private static final String ALIGNMENTS = "/v1/alignments";

    private String cycle;
    private String root;
    private String branch;
    private String leaf;
    private String ofLeaf;
    private String toBranch;

    @BeforeEach
    void createChain() {
        cycle = newCycle();
        // The ids rise from the top to the bottom, against the order of the locks.
        root = newObjective(cycle);
        branch = newObjective(cycle);
        leaf = newObjective(cycle);
        ofLeaf = newKeyResult(leaf, 0, 10);
        contribute(root, branch, 1);
        toBranch = contribute(branch, leaf, 1);
    }

    @Test
    void a_check_in_changes_all_objectives_above() {
        newCheckIn(ofLeaf, 5);
        requireProgress("0.5", leaf, branch, root);
        requireOfCycle("0.5");
        newCheckIn(newKeyResult(branch, 0, 10), 10);
        requireProgress("0.5", leaf);
        requireProgress("0.75", branch, root);
        requireOfCycle("0.6667");
        newKeyResult(root, 0, 10);
        requireProgress("0.375", root);
    }

    @Test
    void weights_count_exactly_and_the_result_is_rounded_half_up() {
        var other = newObjective(cycle);
        var ofOther = newKeyResult(other, 0, 3);
        contribute(branch, other, "0.125");
        newCheckIn(ofLeaf, 5);
        newCheckIn(ofOther, 1);
        // (1 * 0.5 + 0.125 * 0.3333) / 1.125 = 0.4814777...
        requireProgress("0.4815", branch, root);
        admin.put(ALIGNMENTS + '/' + toBranch, object("weight", new BigDecimal("0.125")))
                .is(200);
        // (0.5 + 0.3333) / 2 = 0.41665
        requireProgress("0.4167", branch, root);
        admin.put(ALIGNMENTS + '/' + toBranch, object("weight", 0)).is(200);
        requireProgress("0.3333", branch, root);
    }

    @Test
    void the_progress_is_0_if_all_weights_are_0() {
        newCheckIn(ofLeaf, 5);
        admin.put(ALIGNMENTS + '/' + toBranch, object("weight", 0)).is(200);
        requireProgress("0", branch, root);
        requireProgress("0.5", leaf);
        admin.put(Paths.keyResult(leaf, ofLeaf), object("weight", 0)).is(200);
        requireProgress("0", leaf);
    }

    @Test
    void the_weight_of_a_key_result_counts_at_once() {
        var second = member.post(Paths.keyResults(leaf), with(Requests.keyResult(0, 10), "weight", new BigDecimal("3")))
                .is(201);
        assertThat(second.number("weight")).isEqualByComparingTo("3");
        newCheckIn(second.id(), 10);
        requireProgress("0.75", leaf, branch, root);
        var changed = member.put(Paths.keyResult(leaf, second.id()), object("weight", 1))
                .is(200);
        assertThat(changed.number("weight")).isEqualByComparingTo("1");
        requireProgress("0.5", leaf, branch, root);
        member.delete(Paths.keyResult(leaf, second.id())).is(200);
        requireProgress("0", leaf, branch, root);
    }

    @Test
    void supporting_alignments_never_count() {
        newCheckIn(ofLeaf, 5);
        var supporter = newObjective(cycle);
        newCheckIn(newKeyResult(supporter, 0, 10), 10);
        var alignment = newAlignment(root, supporter);
        admin.put(ALIGNMENTS + '/' + alignment, object("weight", 7)).is(200);
        requireProgress("0.5", root);
        member.delete(ALIGNMENTS + '/' + alignment).is(200);
        requireProgress("0.5", root);
    }

    @Test
    void a_deleted_alignment_no_longer_counts() {
        newCheckIn(ofLeaf, 5);
        member.delete(ALIGNMENTS + '/' + toBranch).is(200);
        requireProgress("0.5", leaf);
        requireProgress("0", branch, root);
        newCheckIn(ofLeaf, 10);
        requireProgress("0", branch, root);
        contribute(root, leaf, 1);
        requireProgress("0.5", root);
    }

    @Test
    void a_deleted_and_restored_objective_counts_again_with_its_new_children() {
        newCheckIn(ofLeaf, 5);
        admin.delete(Paths.objective(branch)).is(200);
        requireProgress("0", root);
        requireOfCycle("0.25");
        newCheckIn(ofLeaf, 8);
        requireProgress("0", root);
        var restored = admin.post("/v1/deleted-objectives/" + branch + "/restore", null)
                .is(201);
        assertThat(restored.number("progress")).isEqualByComparingTo("0.8");
        requireProgress("0.8", leaf, branch, root);
        requireOfCycle("0.8");
        newCheckIn(ofLeaf, 9);
        requireProgress("0.9", leaf, branch, root);
    }

    @Test
    void a_restored_objective_does_not_count_children_that_are_deleted_too() {
        newCheckIn(ofLeaf, 5);
        admin.delete(Paths.objective(branch)).is(200);
        admin.delete(Paths.objective(leaf)).is(200);
        var restored = admin.post("/v1/deleted-objectives/" + branch + "/restore", null)
                .is(201);
        assertThat(restored.number("progress")).isZero();
        requireProgress("0", branch, root);
        admin.post("/v1/deleted-objectives/" + leaf + "/restore", null).is(201);
        requireProgress("0.5", leaf, branch, root);
        requireOfCycle("0.5");
    }

    @Test
    void an_objective_contributes_through_two_parents() {
        var second = newObjective(cycle);
        contribute(root, second, 3);
        contribute(second, leaf, 1);
        newCheckIn(newKeyResult(second, 0, 10), 0);
        newCheckIn(ofLeaf, 8);
        requireProgress("0.8", leaf, branch);
        requireProgress("0.4", second);
        // (0.8 + 3 * 0.4) / 4
        requireProgress("0.5", root);
    }

    @Test
    void the_deepest_chain_rolls_up_to_its_root() {
        var chain = new ArrayList<>(List.of(root, branch, leaf));
        while (chain.size() < 10) {
            var next = newObjective(cycle);
            contribute(chain.getLast(), next, 1);
            chain.add(next);
        }
        newKeyResult(root, 0, 10);
        newCheckIn(newKeyResult(chain.getLast(), 0, 10), 6);
        requireProgress("0.3", leaf, branch);
        requireProgress("0.15", root);
    }

    @Test
    void a_moved_objective_takes_its_progress_to_the_other_cycle() {
        newCheckIn(ofLeaf, 6);
        var other = newCycle();
        admin.put(Paths.objective(branch), object("cycle_id", other)).is(200);
        newCheckIn(ofLeaf, 8);
        assertThat(viewer.get("/v1/cycles/" + other).number("overall_progress")).isEqualByComparingTo("0.8");
        requireOfCycle("0.8");
        requireProgress("0.8", branch, root);
    }

    @Test
    void check_ins_that_are_changed_and_deleted_roll_up_too() {
        newCheckIn(ofLeaf, 2);
        var second = newCheckIn(ofLeaf, 5);
        requireProgress("0.5", root);
        member.put(Paths.checkIn(ofLeaf, second), object("value", 7)).is(200);
        requireProgress("0.7", root);
        member.delete(Paths.checkIn(ofLeaf, second)).is(200);
        requireProgress("0.2", root);
        member.put(Paths.keyResult(leaf, ofLeaf), object("target_value", 4)).is(200);
        requireProgress("0.5", root);
    }

    @Test
    void a_batch_rolls_up_once_for_each_objective() {
        var ofBranch = newKeyResult(branch, 0, 10);
        var unrelated = newObjective(cycle);
        var ofUnrelated = newKeyResult(unrelated, 0, 10);
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        member.post(
                        "/v1/check-ins/batch",
                        object(
                                "check_ins",
                                List.of(
                                        object("key_result_id", ofLeaf, "value", 4),
                                        object("key_result_id", ofUnrelated, "value", 1),
                                        object("key_result_id", ofBranch, "value", 10),
                                        object("key_result_id", ofLeaf, "value", 6))))
                .is(201);
        requireProgress("0.6", leaf);
        requireProgress("0.8", branch, root);
        requireProgress("0.1", unrelated);
        requireOfCycle("0.575");
        assertThat(events.next().stream()
                        .filter(event -> event.type().equals("objective.updated"))
                        .map(event -> event.data().get("id").textValue()))
                .containsExactlyInAnyOrder(unrelated, leaf, branch, root);
    }

    @Test
    void every_objective_above_has_an_event_and_the_roll_up_ends_where_nothing_changes() {
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        newCheckIn(ofLeaf, 5);
        var happened = events.next();
        assertThat(happened)
                .extracting(Events.Event::type)
                .containsExactly(
                        "check_in.created",
                        "key_result.updated",
                        "objective.updated",
                        "objective.updated",
                        "objective.updated");
        assertThat(happened.subList(2, 5))
                .extracting(event -> event.data().get("id").textValue())
                .containsExactly(leaf, branch, root);
        assertThat(happened.get(4).data()).isEqualTo(listed(root));
        assertThat(happened.get(4).previous().get("progress").decimalValue()).isEqualByComparingTo("0");
        // The branch has one child, so its weight changes nothing.
        admin.put(ALIGNMENTS + '/' + toBranch, object("weight", 2)).is(200);
        assertThat(events.next()).extracting(Events.Event::type).containsExactly("alignment.updated");
    }

    @Test
    void the_time_of_the_last_change_rises_even_if_the_clock_is_slow() {
        newCheckIn(ofLeaf, 5);
        TestDatabase.execute(
                "UPDATE objective SET updated_at = '2100-01-01T00:00:00Z' WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.OBJECTIVE.require(root));
        newCheckIn(ofLeaf, 6);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM objective WHERE organization_id = ? AND id = ?"
                                + " AND updated_at = '2100-01-01T00:00:00.000001Z'",
                        acme.id(),
                        IdKind.OBJECTIVE.require(root)))
                .isOne();
    }

    @Test
    void an_objective_of_a_closed_cycle_keeps_its_progress() {
        var closed = newCompletedCycle();
        member.put(Paths.objective(branch), object("cycle_id", closed)).is(200);
        newCheckIn(ofLeaf, 5);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        newCheckIn(ofLeaf, 9);
        requireProgress("0.9", leaf);
        requireProgress("0.5", branch, root);
        assertThat(viewer.get(Paths.objective(branch) + "/progress").data().get("reasons"))
                .anySatisfy(reason -> assertThat(reason.textValue()).startsWith("The cycle is closed"));

        var reopened = admin.post("/v1/cycles/" + closed + "/reopen", null).is(200);

        requireProgress("0.9", leaf, branch, root);
        assertThat(reopened.number("overall_progress")).isEqualByComparingTo("0.9");
        assertThat(viewer.get("/v1/cycles/" + closed).data()).isEqualTo(reopened.data());
        newCheckIn(ofLeaf, 10);
        requireProgress("1", leaf, branch, root);
    }

    // The statements of another process cannot be recorded.
    @DisabledOnIntegrationTest
    @Test
    void reopening_locks_only_objectives_whose_progress_changes() {
        var closed = newCompletedCycle();
        member.put(Paths.objective(branch), object("cycle_id", closed)).is(200);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        assertThat(locksOfReopening(closed)).isEmpty();

        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        newCheckIn(ofLeaf, 5);
        assertThat(locksOfReopening(closed)).isNotEmpty();
    }

    /** The statements that lock objectives while a cycle is reopened. */
    private List<String> locksOfReopening(String closed) {
        try (var recorded = new RecordedStatements()) {
            admin.post("/v1/cycles/" + closed + "/reopen", null).is(200);
            return recorded.ofRequestWith("update cycle").stream()
                    .filter(each -> each.contains("FROM objective o") && each.contains("FOR NO KEY UPDATE"))
                    .toList();
        }
    }

    @Test
    void a_reopened_cycle_sees_which_children_came_and_went_while_it_was_closed() {
        var closed = newCompletedCycle();
        member.put(Paths.objective(branch), object("cycle_id", closed)).is(200);
        var alone = newObjective(closed);
        var left = newObjective(closed);
        var toLeft = contribute(left, leaf, 1);
        newCheckIn(ofLeaf, 5);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        member.delete(ALIGNMENTS + '/' + toBranch).is(200);
        member.delete(ALIGNMENTS + '/' + toLeft).is(200);
        contribute(alone, leaf, 1);
        requireProgress("0.5", branch, root, left);
        requireProgress("0", alone);

        admin.post("/v1/cycles/" + closed + "/reopen", null).is(200);

        requireProgress("0", branch, root, left);
        requireProgress("0.5", alone);
        newCheckIn(ofLeaf, 10);
        requireProgress("0", branch, root, left);
        requireProgress("1", alone);
        newCheckIn(newKeyResult(branch, 0, 10), 2);
        requireProgress("0.2", branch, root);
        newCheckIn(newKeyResult(left, 0, 10), 3);
        requireProgress("0.3", left);
    }

    @RepeatedTest(3)
    void closing_and_reopening_with_check_ins_at_the_same_moment_leaves_exact_progress() throws Exception {
        var completed = newCompletedCycle();
        member.put(Paths.objective(branch), object("cycle_id", completed)).is(200);
        double before = deadlocks();
        var requests = new ArrayList<Callable<Answer>>();
        requests.addAll(AtOnce.times(
                12, () -> member.post(Paths.checkIns(ofLeaf), object("increment", new BigDecimal("0.5")))));
        requests.addAll(AtOnce.times(4, () -> admin.post("/v1/cycles/" + completed + "/close", null)));
        requests.addAll(AtOnce.times(4, () -> admin.post("/v1/cycles/" + completed + "/reopen", null)));
        Collections.shuffle(requests);
        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 201));
        admin.post("/v1/cycles/" + completed + "/reopen", null).is(200);
        requireProgress("0.6", leaf, branch, root);
        assertThat(deadlocks()).isEqualTo(before);
    }

    @Test
    void changing_a_weight_has_an_event_and_needs_a_valid_weight() {
        var path = ALIGNMENTS + '/' + toBranch;
        for (var wrong : List.of(-1, 1001, new BigDecimal("1000.001"))) {
            member.put(path, object("weight", wrong)).isInvalid("/weight out_of_range");
            requireInvalidWeight(wrong, "/weight out_of_range");
        }
        requireInvalidWeight(new BigDecimal("0.0001"), "/weight too_many_decimals");
        member.put(path, object("weight", new BigDecimal("0.0001"))).isInvalid("/weight too_many_decimals");
        assertThat(member.put(path, object("weight", 1000)).is(200).number("weight"))
                .isEqualByComparingTo("1000");
        member.put(path, object("weight", 1)).is(200);
        member.put(path, object("weight", null)).isInvalid("/weight not_nullable");
        member.put(path, object("weight", "1")).isInvalid("/weight invalid_type");
        member.put(path, object("parent_objective_id", leaf)).isInvalid("/parent_objective_id unknown_field");
        viewer.put(path, object("weight", 2)).isProblem(403, "forbidden");
        organization().admin().put(path, object("weight", 2)).isNotFound();
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        var changed =
                member.put(path, object("weight", new BigDecimal("999.999"))).is(200);
        assertThat(changed.number("weight")).isEqualByComparingTo("999.999");
        assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
        assertThat(viewer.get(ALIGNMENTS).data().get(0)).isEqualTo(changed.data());
        var event = events.next().getFirst();
        assertThat(event.type()).isEqualTo("alignment.updated");
        assertThat(event.data()).isEqualTo(changed.data());
        assertThat(event.previous().get("weight").decimalValue()).isEqualByComparingTo("1");
        member.put(path, object("weight", new BigDecimal("999.999"))).is(200);
        assertThat(events.next()).isEmpty();
        member.send("PATCH", path, object("weight", 3)).is(200);
    }

    /** On creation of a key result or an alignment, and on changes of a key result. */
    private void requireInvalidWeight(Object weight, String error) {
        member.put(Paths.keyResult(leaf, ofLeaf), object("weight", weight)).isInvalid(error);
        member.post(Paths.keyResults(leaf), with(Requests.keyResult(0, 10), "weight", weight))
                .isInvalid(error);
        member.post(ALIGNMENTS, with(Requests.alignment(root, leaf), "weight", weight))
                .isInvalid(error);
    }

    @Test
    void a_changed_weight_of_a_key_result_has_an_event() {
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        var changed = member.put(Paths.keyResult(leaf, ofLeaf), object("weight", 1000))
                .is(200);
        assertThat(events.next()).singleElement().satisfies(event -> {
            assertThat(event.type()).isEqualTo("key_result.updated");
            assertThat(event.data()).isEqualTo(changed.data());
            assertThat(event.previous().toString()).isEqualTo("{\"weight\":1}");
        });
    }

    @Test
    void a_weight_can_be_changed_only_as_it_was_read() {
        var path = ALIGNMENTS + '/' + toBranch;
        var first = member.put(path, object("weight", 2)).is(200).header("ETag").orElseThrow();
        member.put(path, object("weight", 3)).is(200);
        member.header("If-Match", first).put(path, object("weight", 4)).isProblem(412, "precondition_failed");
    }

    /**
     * Would deadlock if objectives were locked by id: a batch would lock the root first, and a check-in on the leaf
     * last.
     */
    @Test
    void check_ins_and_batches_from_all_levels_do_not_deadlock() throws Exception {
        var ofRoot = newKeyResult(root, 0, 1000);
        var ofBranch = newKeyResult(branch, 0, 1000);
        var sibling = newObjective(cycle);
        var ofSibling = newKeyResult(sibling, 0, 1000);
        contribute(branch, sibling, 1);
        double before = deadlocks();
        var requests = new ArrayList<Callable<Answer>>();
        for (int i = 0; i < 60; i++) {
            for (var keyResult : List.of(ofRoot, ofBranch, ofLeaf, ofSibling)) {
                requests.add(() -> member.post(Paths.checkIns(keyResult), object("increment", 1)));
            }
            requests.add(() -> batch(ofRoot, ofSibling));
            requests.add(() -> batch(ofLeaf, ofBranch));
            int weight = i;
            if (i % 6 == 0) {
                requests.add(() -> admin.put(ALIGNMENTS + '/' + toBranch, object("weight", 1 + weight)));
            }
        }
        Collections.shuffle(requests);
        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 201));
        assertThat(deadlocks()).isEqualTo(before);
    }

    /** Would deadlock, because a deletion locks the parent before the children, and closing locks all by id. */
    @RepeatedTest(3)
    void closing_and_deleting_parents_of_supporting_children_do_not_deadlock() throws Exception {
        var completed = newCompletedCycle();
        var requests = new ArrayList<Callable<Answer>>();
        for (int i = 0; i < 20; i++) {
            var verb = i % 2 == 0 ? "/close" : "/reopen";
            var child = newObjective(completed);
            var parent = newObjective(completed);
            newAlignment(parent, child);
            requests.add(() -> member.delete(Paths.objective(parent)));
            requests.add(() -> admin.post("/v1/cycles/" + completed + verb, null));
        }
        double before = deadlocks();
        assertThat(AtOnce.run(requests))
                .allSatisfy(answer -> assertThat(answer.status()).isIn(200, 409));
        assertThat(deadlocks()).isEqualTo(before);
    }

    private Answer batch(String... keyResults) {
        return member.post(
                "/v1/check-ins/batch",
                object(
                        "check_ins",
                        IntStream.range(0, keyResults.length)
                                .mapToObj(i -> object("key_result_id", keyResults[i], "increment", 1))
                                .toList()));
    }

    private JsonNode listed(String objective) {
        for (var each : viewer.get("/v1/objectives?cycle_id=" + cycle).data()) {
            if (each.get("id").textValue().equals(objective)) {
                return each;
            }
        }
        throw new AssertionError(objective);
    }

    private String contribute(String parent, String child, Object weight) {
        var value = weight instanceof String text ? new BigDecimal(text) : weight;
        return member.post(
                        ALIGNMENTS,
                        with(Requests.alignment(parent, child), "alignment_type", "contributes_to", "weight", value))
                .is(201)
                .id();
    }

    private void requireProgress(String expected, String... objectives) {
        for (var objective : objectives) {
            assertThat(viewer.get(Paths.objective(objective)).number("progress"))
                    .as(objective)
                    .isEqualByComparingTo(expected);
        }
    }

    private void requireOfCycle(String expected) {
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualByComparingTo(expected);
    }
}
