package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Key results and check-ins without the parents in the path. */
@QuarkusTest
class KeyResultByIdTest extends HttpTest {
    private String cycle;
    private String objective;
    private String keyResult;
    private String path;

    @BeforeEach
    void createKeyResult() {
        cycle = newCycle();
        objective = newObjective(cycle);
        keyResult = newKeyResult(objective, 0, 10);
        path = "/v1/key-results/" + keyResult;
    }

    @Test
    void the_operations_equal_the_nested_ones() {
        newCheckIn(keyResult, 5);
        var nested = viewer.get(Paths.keyResult(objective, keyResult)).is(200);
        var read = viewer.get(path).is(200);
        assertThat(read.bytes()).isEqualTo(nested.bytes());
        assertThat(read.header("ETag")).isEqualTo(nested.header("ETag"));
        viewer.header("If-None-Match", read.header("ETag").orElseThrow())
                .get(path)
                .is(304);
        var changed = member.put(path, object("title", "Paying customers", "target_value", 20))
                .is(200);
        assertThat(changed.number("progress")).isEqualTo("0.25");
        assertThat(changed.header("ETag")).isEqualTo(viewer.get(path).header("ETag"));
        member.header("If-Match", "\"stale\"").put(path, object()).isProblem(412, "precondition_failed");
        member.put(path, object("target_value", 0, "x", 1)).isInvalid("/target_value equals_start", "/x unknown_field");
        member.delete(path).is(200);
        viewer.get(path).isNotFound();
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0");
    }

    @Test
    void rights_are_those_of_the_nested_operations() {
        viewer.put(path, object("title", "x")).isProblem(403, "forbidden");
        acme.user("Mary Jackson", "member").api().delete(path).isProblem(403, "forbidden");
        stranger().get(path).isProblem(401, "unauthenticated");
        var other = organization().admin();
        other.get(path).isNotFound();
        other.put(path, object("title", "x")).isNotFound();
        other.delete(path).isNotFound();
        for (var id : StrangeIds.like(IdKind.KEY_RESULT, keyResult)) {
            member.get("/v1/key-results/" + id).isNotFound();
            member.put("/v1/key-results/" + id, object()).isNotFound();
            member.delete("/v1/key-results/" + id).isNotFound();
        }
        viewer.get(path).is(200);
    }

    @Test
    void the_list_has_the_key_results_that_match_all_filters() {
        var team = acme.team("Growth").id();
        var otherCycle = newCycle();
        var inTeam = member.post("/v1/objectives", Requests.with(Requests.objective(otherCycle), "team_id", team))
                .id();
        var percentage = member.post(
                        Paths.keyResults(inTeam),
                        Requests.with(
                                Requests.keyResult(0, 1),
                                "metric_type",
                                "percentage",
                                "owner_id",
                                acme.adminUser().id(),
                                "external_id",
                                "kr-1"))
                .is(201)
                .id();
        assertThat(viewer.get("/v1/key-results").ids()).containsExactly(percentage, keyResult);
        assertThat(viewer.get("/v1/key-results?per_page=1&page=2").data().get(0))
                .isEqualTo(viewer.get(Paths.keyResults(objective)).data().get(0));
        only(percentage, "objective_id=" + inTeam);
        only(percentage, "cycle_id=" + otherCycle);
        only(keyResult, "cycle_id=" + cycle);
        only(percentage, "team_id=" + team);
        only(percentage, "owner_id=" + acme.adminUser().id());
        only(percentage, "metric_type=percentage");
        only(percentage, "external_id=kr-1");
        only(percentage, "team_id=" + team + "&cycle_id=" + otherCycle + "&metric_type=percentage");
        none("team_id=" + team + "&cycle_id=" + cycle);
        none("external_id=KR-1");
        none("external_id=%00");
        none("objective_id=x");
        viewer.get("/v1/key-results?metric_type=x").isMalformed();
        viewer.get("/v1/key-results?stale_since=x").isMalformed();
        viewer.get("/v1/key-results?status=on_track").isMalformed();
        assertThat(organization().admin().get("/v1/key-results").ids()).isEmpty();
    }

    @Test
    void a_key_result_is_stale_without_a_check_in_since_a_time() {
        var never = newKeyResult(objective, 0, 10);
        member.post(Paths.checkIns(keyResult), object("value", 1, "recorded_at", "2024-06-01T00:00:00Z"))
                .is(201);
        assertThat(viewer.get("/v1/key-results?stale_since=2024-06-01T00:00:00Z")
                        .ids())
                .containsExactly(never);
        assertThat(viewer.get("/v1/key-results?stale_since=2024-06-01T00:00:00.000001Z")
                        .ids())
                .containsExactly(never, keyResult);
    }

    @Test
    void the_list_of_all_check_ins_has_filters() {
        var other = newKeyResult(newObjective(), 0, 10);
        var first = recorded(keyResult, "2024-01-01T00:00:00Z");
        var second = recorded(other, "2024-02-01T00:00:00Z");
        var third = admin.post(
                        Paths.checkIns(keyResult),
                        object("value", 3, "recorded_at", "2024-03-01T00:00:00Z", "external_id", "ci-3"))
                .is(201)
                .id();
        assertThat(viewer.get("/v1/check-ins").ids()).containsExactly(third, second, first);
        assertThat(viewer.get("/v1/check-ins?per_page=1&page=3").data().get(0))
                .isEqualTo(viewer.get(Paths.checkIns(keyResult)).data().get(1));
        for (var filter :
                new String[] {"key_result_id=" + keyResult, "objective_id=" + objective, "cycle_id=" + cycle}) {
            assertThat(viewer.get("/v1/check-ins?" + filter).ids()).as(filter).containsExactly(third, first);
        }
        assertThat(viewer.get("/v1/check-ins?author_id=" + acme.adminUser().id())
                        .ids())
                .containsExactly(third);
        assertThat(viewer.get("/v1/check-ins?external_id=ci-3").ids()).containsExactly(third);
        assertThat(viewer.get(Paths.checkIns(keyResult) + "?external_id=ci-3").ids())
                .containsExactly(third);
        assertThat(viewer.get("/v1/check-ins?recorded_since=2024-02-01T00:00:00Z")
                        .ids())
                .containsExactly(third, second);
        assertThat(viewer.get("/v1/check-ins?recorded_before=2024-02-01T00:00:00Z")
                        .ids())
                .containsExactly(first);
        assertThat(viewer.get("/v1/check-ins?recorded_since=2024-01-15T00:00:00Z&recorded_before=2024-02-15T00:00:00Z"
                                + "&objective_id=" + objective)
                        .ids())
                .isEmpty();
        assertThat(viewer.get("/v1/check-ins?per_page=2&cursor=")
                        .meta()
                        .get("total")
                        .intValue())
                .isEqualTo(3);
        viewer.get("/v1/check-ins?sort=recorded_at").isMalformed();
        viewer.get("/v1/check-ins?recorded_since=yesterday").isMalformed();
        assertThat(organization().admin().get("/v1/check-ins").ids()).isEmpty();
    }

    @Test
    void check_ins_of_the_same_time_are_ordered_by_id() {
        var ids = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            ids.add(recorded(newKeyResult(objective, 0, 10), "2024-01-01T00:00:00Z"));
        }
        ids.sort(Comparator.reverseOrder());
        assertThat(viewer.get("/v1/check-ins").ids()).isEqualTo(ids);
        for (int perPage = 1; perPage <= 3; perPage++) {
            assertThat(Events.export(viewer, "/v1/check-ins?per_page=" + perPage))
                    .extracting(each -> each.get("id").textValue())
                    .isEqualTo(ids);
        }
        assertThat(viewer.get("/v1/check-ins?per_page=2&page=2").ids()).isEqualTo(ids.subList(2, 4));
        assertThat(viewer.get("/v1/check-ins?per_page=2&page=3").ids()).isEqualTo(ids.subList(4, 5));
    }

    @Test
    void lists_show_what_changed_since_a_time() {
        newCheckIn(keyResult, 1);
        acme.backdate();
        var since = "?updated_since=" + Instant.now().minusSeconds(60);
        for (var list :
                new String[] {"/v1/objectives", "/v1/key-results", "/v1/check-ins", "/v1/cycles", "/v1/alignments"}) {
            assertThat(viewer.get(list + since).is(200).ids()).as(list).isEmpty();
        }
        var checkIn = newCheckIn(keyResult, 5);
        assertThat(viewer.get("/v1/check-ins" + since).ids()).containsExactly(checkIn);
        assertThat(viewer.get(Paths.checkIns(keyResult) + since).ids()).containsExactly(checkIn);
        assertThat(viewer.get("/v1/key-results" + since).ids()).containsExactly(keyResult);
        assertThat(viewer.get(Paths.keyResults(objective) + since).ids()).containsExactly(keyResult);
        assertThat(viewer.get("/v1/objectives" + since).ids()).containsExactly(objective);
        assertThat(viewer.get("/v1/cycles" + since).ids()).isEmpty();
        admin.put("/v1/cycles/" + cycle, object("name", "Q9")).is(200);
        assertThat(viewer.get("/v1/cycles" + since).ids()).containsExactly(cycle);
        var alignment = newAlignment(objective, newObjective(cycle));
        assertThat(viewer.get("/v1/alignments" + since).ids()).containsExactly(alignment);
        viewer.get("/v1/objectives?updated_since=today").isMalformed();
    }

    private String recorded(String id, String time) {
        return member.post(Paths.checkIns(id), object("value", 1, "recorded_at", time))
                .is(201)
                .id();
    }

    private void only(String id, String filter) {
        var answer = viewer.get("/v1/key-results?" + filter).is(200);
        assertThat(answer.ids()).as(filter).containsExactly(id);
        assertThat(answer.meta().get("total").intValue()).isOne();
    }

    private void none(String filter) {
        assertThat(viewer.get("/v1/key-results?" + filter).is(200).ids())
                .as(filter)
                .isEmpty();
    }
}
