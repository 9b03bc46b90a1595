package dev.okr.objectives.cycles;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CycleDeletionTest extends HttpTest {
    @Test
    void a_cycle_without_objectives_is_deleted() {
        var cycle = newCycle();
        var kept = newCycle();
        var deleted = admin.delete(path(cycle)).is(200);
        assertThat(deleted.text()).isEqualTo("{\"data\":{\"id\":\"" + cycle + "\",\"deleted\":true}}");
        viewer.get(path(cycle)).isNotFound();
        admin.put(path(cycle), object()).isNotFound();
        admin.delete(path(cycle)).isNotFound();
        assertThat(viewer.get("/v1/cycles").ids()).containsExactly(kept);
        member.post("/v1/objectives", Requests.objective(cycle)).isInvalid("/cycle_id unknown_reference");
    }

    @Test
    void a_cycle_with_objectives_is_not_deleted() {
        var cycle = newCycle();
        var other = newCycle();
        var moved = newObjective(cycle);
        var deleted = newObjective(cycle);
        newCheckIn(newKeyResult(moved, 0, 10), 5);
        newCheckIn(newKeyResult(deleted, 0, 10), 5);
        admin.delete(path(cycle)).isProblem(409, "conflict");
        member.put(Paths.objective(moved), object("cycle_id", other)).is(200);
        admin.delete(path(cycle)).isProblem(409, "conflict");
        member.delete(Paths.objective(deleted)).is(200);
        admin.delete(path(cycle)).is(200);
        viewer.get(Paths.objective(moved)).is(200);
        admin.delete(path(other)).isProblem(409, "conflict");
    }

    @Test
    void only_admins_delete_cycles() {
        var cycle = newCycle();
        member.delete(path(cycle)).isProblem(403, "forbidden");
        viewer.delete(path(cycle)).isProblem(403, "forbidden");
        acme.scoped("read", "webhooks").delete(path(cycle)).isProblem(403, "insufficient_scope");
        organization().admin().delete(path(cycle)).isNotFound();
        for (var id : StrangeIds.like(IdKind.CYCLE, cycle)) {
            admin.delete(path(id)).isNotFound();
        }
        viewer.get(path(cycle)).is(200);
    }

    @Test
    void a_changed_cycle_is_not_deleted_with_an_old_tag() {
        var cycle = newCycle();
        var tag = viewer.get(path(cycle)).header("ETag").orElseThrow();
        admin.put(path(cycle), object("name", "Changed")).is(200);
        admin.header("If-Match", tag).delete(path(cycle)).isProblem(412, "precondition_failed");
        var current = viewer.get(path(cycle)).header("ETag").orElseThrow();
        admin.header("If-Match", current).delete(path(cycle)).is(200);
    }

    @Test
    void a_deletion_sends_an_event_with_the_last_state() {
        var cycle = newCycle();
        var last = viewer.get(path(cycle)).data();
        var events = new Events(service, admin);
        events.skip();
        admin.delete(path(cycle)).is(200);
        admin.delete(path(cycle)).isNotFound();
        var sent = events.next();
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().type()).isEqualTo("cycle.deleted");
        assertThat(sent.getFirst().data()).isEqualTo(last);
        assertThat(sent.getFirst().actor()).isEqualTo(acme.adminUser().id());
    }

    @RepeatedTest(5)
    void no_objective_is_in_a_cycle_that_is_deleted_at_the_same_moment() throws Exception {
        var cycle = newCycle();
        var moved = newObjective();
        var requests = new ArrayList<Callable<Answer>>(List.of(
                () -> admin.delete(path(cycle)), () -> member.put(Paths.objective(moved), object("cycle_id", cycle))));
        requests.addAll(AtOnce.times(4, () -> member.post("/v1/objectives", Requests.objective(cycle))));

        var answers = AtOnce.run(requests);

        if (answers.getFirst().status() == 200) {
            assertThat(answers.subList(1, answers.size()))
                    .allSatisfy(answer -> answer.isInvalid("/cycle_id unknown_reference"));
            viewer.get(Paths.objective(moved)).is(200);
        } else {
            answers.getFirst().isProblem(409, "conflict");
            assertThat(viewer.get(path(cycle)).number("objectives_count").intValue())
                    .isEqualTo(
                            viewer.get("/v1/objectives?cycle_id=" + cycle).ids().size())
                    .isPositive();
        }
    }

    private static String path(String cycle) {
        return "/v1/cycles/" + cycle;
    }
}
