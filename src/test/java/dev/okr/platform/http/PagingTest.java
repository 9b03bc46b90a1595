package dev.okr.platform.http;

import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class PagingTest extends HttpTest {
    private static final String CYCLES = "/v1/cycles";

    @Test
    void a_page_has_25_items_by_default() {
        createCycles(27);
        var first = viewer.get(CYCLES).is(200);
        assertThat(first.ids()).hasSize(25);
        assertThat(first.meta().toString()).isEqualTo("{\"page\":1,\"per_page\":25,\"total\":27}");
        var second = viewer.get(CYCLES + "?page=2").is(200);
        assertThat(second.ids()).hasSize(2);
        assertThat(second.meta().toString()).isEqualTo("{\"page\":2,\"per_page\":25,\"total\":27}");
        assertThat(Stream.concat(first.ids().stream(), second.ids().stream())).doesNotHaveDuplicates();
    }

    @Test
    void more_than_100_per_page_is_100() {
        createCycles(1);
        for (var perPage : List.of("101", "1000", "2147483648", "99999999999999999999999999")) {
            assertThat(viewer.get(CYCLES + "?per_page=" + perPage)
                            .is(200)
                            .meta()
                            .toString())
                    .isEqualTo("{\"page\":1,\"per_page\":100,\"total\":1}");
        }
        assertThat(viewer.get(CYCLES + "?per_page=100").meta().get("per_page").intValue())
                .isEqualTo(100);
    }

    @Test
    void large_pages_of_one_organisation_wait_for_each_other() throws Exception {
        createCycles(100);
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = Stream.generate(() -> clients.submit(() -> viewer.get(CYCLES + "?per_page=100")))
                    .limit(12)
                    .toList();
            for (var answer : answers) {
                assertThat(answer.get().is(200).ids()).hasSize(100);
            }
        }
    }

    @Test
    void a_page_after_the_end_is_empty_and_has_the_right_total() {
        createCycles(3);
        for (var page : List.of("3", "1000000", "2147483647")) {
            var answer = viewer.get(CYCLES + "?per_page=100&page=" + page).is(200);
            assertThat(answer.ids()).isEmpty();
            assertThat(answer.meta().toString())
                    .isEqualTo("{\"page\":%s,\"per_page\":100,\"total\":3}".formatted(page));
            assertThat(links(answer))
                    .containsExactly(
                            "</v1/cycles?page=1&per_page=100>; rel=\"first\"",
                            "</v1/cycles?page=1&per_page=100>; rel=\"prev\"",
                            "</v1/cycles?page=1&per_page=100>; rel=\"last\"");
        }
        assertThat(viewer.get("/v1/users?page=2147483647&per_page=100").is(200).ids())
                .isEmpty();
        assertThat(viewer.get("/v1/teams?page=2147483647&per_page=100").is(200).ids())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "page=0",
                "page=-1",
                "page=",
                "page=2147483648",
                "page=99999999999999999999",
                "page=1.0",
                "page=1e2",
                "page=%2B1",
                "page=+1",
                "page=one",
                "page=%D9%A3",
                "page=1&page=2",
                "page",
                "per_page=0",
                "per_page=-5",
                "per_page=",
                "per_page=x",
                "per_page=0x10",
                "per_page=5&per_page=5",
                "Page=1",
                "limit=5",
                "page=1&cursor=",
                "cursor=x",
                "cursor=AAAA",
                "cursor=%00",
                "cursor=&cursor=",
                "&x"
            })
    void a_query_out_of_range_or_unknown_is_malformed(String query) {
        viewer.get(CYCLES + '?' + query).isMalformed();
        viewer.get("/v1/objectives?" + query).isMalformed();
    }

    @Test
    void pages_have_links_to_other_pages() {
        createCycles(5);
        assertThat(links(viewer.get(CYCLES + "?per_page=2")))
                .containsExactly(
                        "</v1/cycles?page=1&per_page=2>; rel=\"first\"",
                        "</v1/cycles?page=2&per_page=2>; rel=\"next\"",
                        "</v1/cycles?page=3&per_page=2>; rel=\"last\"");
        assertThat(links(viewer.get(CYCLES + "?per_page=2&page=2")))
                .containsExactly(
                        "</v1/cycles?page=1&per_page=2>; rel=\"first\"",
                        "</v1/cycles?page=1&per_page=2>; rel=\"prev\"",
                        "</v1/cycles?page=3&per_page=2>; rel=\"next\"",
                        "</v1/cycles?page=3&per_page=2>; rel=\"last\"");
        assertThat(links(viewer.get(CYCLES + "?per_page=2&page=3")))
                .containsExactly(
                        "</v1/cycles?page=1&per_page=2>; rel=\"first\"",
                        "</v1/cycles?page=2&per_page=2>; rel=\"prev\"",
                        "</v1/cycles?page=3&per_page=2>; rel=\"last\"");
        assertThat(links(viewer.get("/v1/alignments")))
                .containsExactly(
                        "</v1/alignments?page=1&per_page=25>; rel=\"first\"",
                        "</v1/alignments?page=1&per_page=25>; rel=\"last\"");
    }

    @Test
    void links_keep_the_filters() {
        var cycle = newCycle();
        newObjective(cycle);
        newObjective(cycle);
        var next = links(viewer.get("/v1/objectives?status=not_started&cycle_id=" + cycle + "&per_page=1"))
                .get(1);
        assertThat(next)
                .contains("page=2")
                .contains("per_page=1")
                .contains("status=not_started")
                .contains(cycle);
        var path = next.substring(1, next.indexOf('>'));
        assertThat(viewer.get(path).is(200).ids()).hasSize(1);
        assertThat(links(viewer.get("/v1/objectives?team_id=%3E%22%2C%20%C3%A9%26page=2"))
                        .getFirst())
                .contains("team_id=%3E%22%2C+%C3%A9%26page%3D2");
    }

    @Test
    void rows_with_the_same_time_have_a_stable_order() {
        createCycles(7);
        TestDatabase.execute("UPDATE cycle SET created_at = '2026-01-01Z' WHERE organization_id = ?", acme.id());
        var all = viewer.get(CYCLES).ids();
        assertThat(all).hasSize(7).isSortedAccordingTo((a, b) -> b.compareTo(a));
        var byPage = new ArrayList<String>();
        for (int page = 1; page <= 4; page++) {
            byPage.addAll(viewer.get(CYCLES + "?per_page=2&page=" + page).ids());
        }
        assertThat(byPage).isEqualTo(all);
        assertThat(export(CYCLES + "?per_page=2")).isEqualTo(all);
    }

    @Test
    void a_cursor_does_not_skip_or_repeat_items_during_writes() {
        createCycles(6);
        var before = viewer.get(CYCLES).ids();
        var first = viewer.get(CYCLES + "?cursor=&per_page=2").is(200);
        assertThat(first.ids()).isEqualTo(before.subList(0, 2));
        createCycles(3);
        var second = viewer.get(CYCLES + "?per_page=2&cursor=" + next(first)).is(200);
        assertThat(second.ids()).isEqualTo(before.subList(2, 4));
        assertThat(second.meta().get("total").intValue()).isEqualTo(9);
        TestDatabase.execute(
                "DELETE FROM cycle WHERE organization_id = ? AND id IN"
                        + " (SELECT id FROM cycle WHERE organization_id = ? ORDER BY created_at DESC, id DESC LIMIT 7)",
                acme.id(),
                acme.id());
        var third = viewer.get(CYCLES + "?per_page=2&cursor=" + next(second)).is(200);
        assertThat(third.ids()).isEqualTo(before.subList(4, 6));
        assertThat(third.meta().has("next_cursor")).isFalse();
        assertThat(links(third)).containsExactly("</v1/cycles?cursor=&per_page=2>; rel=\"first\"");
    }

    @Test
    void a_page_by_cursor_has_a_link_to_the_next_page() {
        createCycles(3);
        var first = viewer.get(CYCLES + "?cursor=&per_page=2&status=planned").is(200);
        assertThat(links(first))
                .containsExactly(
                        "</v1/cycles?cursor=&per_page=2&status=planned>; rel=\"first\"",
                        "</v1/cycles?cursor=" + next(first) + "&per_page=2&status=planned>; rel=\"next\"");
    }

    @Test
    void a_cursor_needs_no_escaping_in_a_query() {
        createCycles(2);
        assertThat(next(viewer.get(CYCLES + "?cursor=&per_page=1"))).matches("[A-Za-z0-9_-]+");
        assertThat(viewer.get(CYCLES).meta().has("next_cursor")).isFalse();
    }

    @Test
    void every_newest_first_list_accepts_pages_and_cursors() {
        var team = acme.team("Growth").id();
        var cycle = newCycle();
        newCycle();
        newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        for (int i = 0; i < 2; i++) {
            newKeyResult(objective, 0, 10);
        }
        for (int i = 0; i < 3; i++) {
            newCheckIn(keyResult, i);
            var other = member.post("/v1/objectives", with(Requests.objective(cycle), "team_id", team))
                    .id();
            newAlignment(objective, other);
        }
        for (var list : List.of(
                CYCLES,
                "/v1/objectives",
                "/v1/teams/" + team + "/objectives",
                Paths.keyResults(objective),
                Paths.checkIns(keyResult),
                "/v1/alignments")) {
            var all = viewer.get(list).is(200).ids();
            assertThat(all).as(list).hasSizeGreaterThanOrEqualTo(3);
            assertThat(export(list + "?per_page=2")).as(list).isEqualTo(all);
            assertThat(viewer.get(list + "?per_page=2&page=2").is(200).ids())
                    .as(list)
                    .isEqualTo(all.subList(2, Math.min(4, all.size())));
        }
    }

    @Test
    void lists_by_name_accept_pages_but_no_cursor() {
        acme.team("B");
        acme.team("A");
        acme.team("C");
        for (var list : List.of("/v1/teams", "/v1/users")) {
            var all = viewer.get(list).is(200).ids();
            assertThat(all).hasSize(3);
            for (int page = 1; page <= 3; page++) {
                assertThat(viewer.get(list + "?per_page=1&page=" + page).ids()).containsExactly(all.get(page - 1));
            }
            viewer.get(list + "?cursor=").isMalformed();
        }
    }

    private List<String> export(String path) {
        var ids = new ArrayList<String>();
        var cursor = "";
        for (int page = 1; cursor != null; page++) {
            var answer = viewer.get(path + "&cursor=" + cursor).is(200);
            assertThat(answer.meta().get("page").intValue()).isEqualTo(page);
            ids.addAll(answer.ids());
            cursor = next(answer);
        }
        return ids;
    }

    private void createCycles(int count) {
        for (int i = 0; i < count; i++) {
            admin.post(CYCLES, Requests.uniqueCycle()).is(201);
        }
    }

    private static String next(Answer answer) {
        return answer.meta().path("next_cursor").textValue();
    }

    private static List<String> links(Answer answer) {
        return List.of(answer.header("Link").orElseThrow().split(", (?=<)"));
    }
}
