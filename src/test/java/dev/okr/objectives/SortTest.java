package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of lists, and nested key results. */
@QuarkusTest
class SortTest extends HttpTest {
    private static final List<String> TITLES = List.of("b", "a", "B", "a", "é", "🎯 a=b", "a");

    private String cycle;
    private final List<String> objectives = new ArrayList<>();

    @BeforeEach
    void createObjectives() {
        cycle = newCycle();
        for (int i = 0; i < TITLES.size(); i++) {
            var id = member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "title", TITLES.get(i)))
                    .is(201)
                    .id();
            objectives.add(id);
            if (i > 0) {
                var keyResult = newKeyResult(id, 0, 4);
                newCheckIn(keyResult, i % 4);
            }
        }
        member.put(Paths.objective(objectives.get(2)), object("description", "Changed last"))
                .is(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "created_at",
                "-created_at",
                "updated_at",
                "-updated_at",
                "title",
                "-title",
                "progress",
                "-progress"
            })
    void a_list_can_be_read_by_page_and_by_cursor_in_every_order(String sort) {
        var path = "/v1/objectives?cycle_id=" + cycle + "&sort=" + sort;
        var whole = nodes(viewer.get(path).is(200).data());
        assertThat(whole).hasSize(TITLES.size()).isSortedAccordingTo(order(sort));
        for (int perPage = 1; perPage <= 3; perPage++) {
            assertThat(Events.export(viewer, path + "&per_page=" + perPage)).isEqualTo(whole);
        }
        var pages = new ArrayList<JsonNode>();
        for (int page = 1; page <= 4; page++) {
            pages.addAll(nodes(viewer.get(path + "&per_page=2&page=" + page).data()));
        }
        assertThat(pages).isEqualTo(whole);
        assertThat(Events.export(viewer, path + "&per_page=2&include=key_results"))
                .extracting(item -> item.get("id"))
                .containsExactlyElementsOf(
                        whole.stream().map(item -> item.get("id")).toList());
        var keyResults =
                nodes(viewer.get("/v1/key-results?sort=" + sort).is(200).data());
        assertThat(keyResults).isSortedAccordingTo(order(sort));
        assertThat(Events.export(viewer, "/v1/key-results?per_page=2&sort=" + sort))
                .isEqualTo(keyResults);
    }

    /** Within a second, the times that are shown do not tell the order. Ids do, for creation. */
    private static Comparator<JsonNode> order(String sort) {
        boolean descending = sort.startsWith("-");
        Comparator<JsonNode> byId = Comparator.comparing(item -> item.get("id").textValue());
        Comparator<JsonNode> order = switch (sort.replace("-", "")) {
            case "title" ->
                Comparator.<JsonNode, String>comparing(item -> item.get("title").textValue(), SortTest::compareBytes)
                        .thenComparing(byId);
            case "progress" ->
                Comparator.<JsonNode, java.math.BigDecimal>comparing(
                                item -> item.get("progress").decimalValue())
                        .thenComparing(byId);
            case "updated_at" ->
                Comparator.comparing(item -> item.get("updated_at").textValue());
            default -> byId;
        };
        return descending ? order.reversed() : order;
    }

    private static int compareBytes(String one, String other) {
        return java.util.Arrays.compareUnsigned(
                one.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                other.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @MethodSource("sortedLists")
    void a_cursor_skips_and_repeats_nothing_while_others_write(String list) {
        var path = list + "&per_page=2&cycle_id=" + cycle;
        var present = viewer.get(list + "&cycle_id=" + cycle).is(200).ids();
        var seen = new ArrayList<String>();
        var cursor = "";
        do {
            var page = viewer.get(path + "&cursor=" + cursor).is(200);
            seen.addAll(page.ids());
            cursor = page.meta().path("next_cursor").asText("");
            if (seen.size() < present.size()) {
                write(list);
            }
        } while (!cursor.isEmpty());
        assertThat(seen).doesNotHaveDuplicates().containsAll(present);
    }

    /** Adds rows, and changes one in a way that does not concern the order of the list. */
    private void write(String list) {
        for (var title : List.of("A", "z")) {
            var objective = member.post("/v1/objectives", Requests.with(Requests.objective(cycle), "title", title))
                    .is(201)
                    .id();
            newKeyResult(objective, 0, 4);
        }
        if (!list.contains("updated_at")) {
            member.put(Paths.objective(objectives.getFirst()), object("description", "Changed"))
                    .is(200);
        }
    }

    private static Stream<String> sortedLists() {
        return Stream.of("/v1/objectives", "/v1/key-results")
                .flatMap(list -> Stream.of("created_at", "updated_at", "title", "progress")
                        .flatMap(sort -> Stream.of(list + "?sort=" + sort, list + "?sort=-" + sort)));
    }

    @Test
    void the_last_change_is_the_first_by_updated_at() {
        assertThat(viewer.get("/v1/objectives?sort=-updated_at").ids().getFirst())
                .isEqualTo(objectives.get(2));
    }

    @Test
    void a_cursor_belongs_to_its_order() {
        var next = viewer.get("/v1/objectives?sort=title&per_page=1&cursor=")
                .meta()
                .get("next_cursor")
                .textValue();
        viewer.get("/v1/objectives?sort=title&cursor=" + next).is(200);
        viewer.get("/v1/objectives?sort=-title&cursor=" + next).isMalformed();
        viewer.get("/v1/objectives?cursor=" + next).isMalformed();
        for (var wrong : List.of("", "name", "title,progress", "+title", "TITLE", "recorded_at")) {
            viewer.get("/v1/objectives?sort=" + wrong).isMalformed();
        }
        viewer.get("/v1/cycles?sort=title").isMalformed();
        viewer.get(Paths.keyResults(objectives.getFirst()) + "?sort=-progress").is(200);
    }

    @Test
    void a_status_filter_takes_several_values() {
        member.put(Paths.objective(objectives.get(0)), object("status", "at_risk"))
                .is(200);
        member.put(Paths.objective(objectives.get(1)), object("status", "behind"))
                .is(200);
        assertThat(viewer.get("/v1/objectives?status=at_risk,behind").ids())
                .containsExactly(objectives.get(1), objectives.get(0));
        assertThat(viewer.get("/v1/objectives?status=behind,behind")
                        .meta()
                        .get("total")
                        .intValue())
                .isOne();
        assertThat(viewer.get("/v1/cycles?status=planned,active").ids()).containsExactly(cycle);
        assertThat(viewer.get("/v1/cycles?status=active,completed").ids()).isEmpty();
        for (var wrong : List.of("", ",", "at_risk,", "at_risk,unknown", "at_risk;behind")) {
            viewer.get("/v1/objectives?status=" + wrong).is(400);
            viewer.get("/v1/cycles?status=" + wrong).is(400);
        }
    }

    /** Pages with more than 250 key results are read in two steps. */
    @ParameterizedTest
    @ValueSource(ints = {82, 83, 100})
    void pages_with_many_key_results_are_complete(int perObjective) {
        acme.addKeyResults(perObjective);
        var path = "/v1/objectives?sort=title&include=key_results&per_page=3";
        for (var page : List.of(viewer.get(path), viewer.get(path + "&cursor="))) {
            assertThat(page.is(200).ids())
                    .isEqualTo(
                            viewer.get("/v1/objectives?sort=title&per_page=3").ids());
            assertThat(page.meta().get("total").intValue()).isEqualTo(TITLES.size());
            for (var item : page.data()) {
                var keyResults = viewer.get(Paths.keyResults(item.get("id").textValue()) + "?per_page=100");
                assertThat(item.get("key_results")).isEqualTo(keyResults.data());
            }
        }
        assertThat(Events.export(viewer, path)).hasSize(TITLES.size());
    }

    @Test
    void a_list_can_include_the_key_results() {
        var second = newKeyResult(objectives.get(3), 0, 8);
        member.put("/v1/key-results/" + second, object("external_id", "kr-7", "weight", 2))
                .is(200);
        member.post(Paths.checkIns(second), object("value", 1, "confidence", 7)).is(201);
        var list = viewer.get("/v1/objectives?include=key_results&cycle_id=" + cycle)
                .is(200);
        assertThat(list.ids()).isEqualTo(objectives.reversed());
        assertThat(list.meta().get("total").intValue()).isEqualTo(TITLES.size());
        for (var item : list.data()) {
            var keyResults =
                    viewer.get(Paths.keyResults(item.get("id").textValue())).data();
            assertThat(item.get("key_results")).isEqualTo(keyResults);
        }
        var nested = list.data().get(TITLES.size() - 1 - 3).at("/key_results/0");
        assertThat(nested.get("id").textValue()).isEqualTo(second);
        assertThat(nested.get("external_id").textValue()).isEqualTo("kr-7");
        assertThat(nested.get("confidence").intValue()).isEqualTo(7);
        assertThat(viewer.get("/v1/objectives").data().get(0).has("key_results"))
                .isFalse();
        viewer.get("/v1/objectives?include=key_results,key_results").is(200);
        for (var wrong : List.of("", "check_ins", "key_results,", "key_results,check_ins")) {
            viewer.get("/v1/objectives?include=" + wrong).isMalformed();
        }
        viewer.get("/v1/key-results?include=key_results").isMalformed();
        assertThat(viewer.get("/v1/objectives?include=key_results&page=9")
                        .is(200)
                        .meta()
                        .get("total")
                        .intValue())
                .isEqualTo(TITLES.size());
    }

    @Test
    void the_objectives_of_a_team_can_include_the_key_results() {
        var team = acme.team("Growth").id();
        member.put(Paths.objective(objectives.get(4)), object("team_id", team)).is(200);
        var list = viewer.get("/v1/teams/" + team + "/objectives?include=key_results&sort=title")
                .is(200)
                .data();
        assertThat(list).hasSize(1);
        assertThat(list.get(0).get("key_results"))
                .isEqualTo(viewer.get(Paths.keyResults(objectives.get(4))).data());
        organization()
                .admin()
                .get("/v1/teams/" + team + "/objectives?include=key_results")
                .isNotFound();
        assertThat(organization()
                        .admin()
                        .get("/v1/objectives?include=key_results")
                        .ids())
                .isEmpty();
    }

    @Test
    void at_most_a_hundred_key_results_are_included() {
        var id = objectives.getFirst();
        for (int i = 0; i < 100; i++) {
            newKeyResult(id, 0, 1 + i);
        }
        // One more than the limit, as an earlier version allowed.
        TestDatabase.execute(
                """
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value, current_value,
                    target_value, progress, owner_id, created_at, updated_at)
                VALUES (?, gen_random_uuid(), ?, 'K', 'number', 0, 0, 101, 0, ?, now(), now())
                """, acme.id(), IdKind.OBJECTIVE.require(id), acme.memberUser().uuid());
        var item = viewer.get("/v1/objectives?sort=created_at&include=key_results&per_page=1")
                .data()
                .get(0);
        assertThat(item.get("id").textValue()).isEqualTo(id);
        assertThat(item.get("key_results")).hasSize(100);
        assertThat(item.at("/key_results/0/target_value").intValue()).isEqualTo(101);
    }

    private static List<JsonNode> nodes(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
