package dev.okr.events;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.EventSchemas;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of events. */
@QuarkusTest
class EventListTest extends HttpTest {
    private static final String EVENTS = "/v1/events";
    private static final int MAX_SECONDS = 60;

    @Test
    void the_list_is_newest_first_and_ids_are_in_the_same_order() {
        var objective = newObjective();
        newCheckIn(newKeyResult(objective, 0, 10), 5);
        var events = admin.get(EVENTS).is(200);
        assertThat(types(events))
                .containsExactly(
                        "objective.updated",
                        "key_result.updated",
                        "check_in.created",
                        "key_result.created",
                        "objective.created",
                        "cycle.created");
        assertThat(events.ids()).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
        assertThat(events.meta().toString()).isEqualTo("{\"page\":1,\"per_page\":25,\"total\":6}");
    }

    @Test
    void events_are_filtered_by_type() {
        var objective = newObjective();
        admin.put(Paths.objective(objective), object("title", "Changed")).is(200);
        for (var type : List.of("cycle.created", "objective.created", "objective.updated")) {
            var found = admin.get(EVENTS + "?type=" + type).is(200);
            assertThat(types(found)).containsExactly(type);
            assertThat(found.meta().get("total").intValue()).isOne();
        }
        for (var type : List.of("objective.deleted", "webhook.ping", "alignment.created")) {
            assertThat(admin.get(EVENTS + "?type=" + type).is(200).ids()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "type=objective.moved",
                "type=objective",
                "type=*",
                "type=",
                "type",
                "type=OBJECTIVE_CREATED",
                "type=Objective.created",
                "type=objective_created",
                "type=check.in_created",
                "type=objective.created,objective.updated",
                "type=objective.created&type=objective.updated",
                "type=%00",
                "since=",
                "since=yesterday",
                "since=2026-01-31",
                "since=2026-01-31T09:30:00",
                "since=2026-01-31T09:30:00+02:00",
                "since=2026-02-30T09:30:00Z",
                "since=1767225600",
                "since=0000-01-01T00:00:00Z",
                "since=9999-12-31T23:59:59-01:00",
                "since=2026-01-31T09:30:00Z&since=2026-01-31T09:30:00Z",
                "since=%00",
                "resource_id=a&resource_id=b",
                "status=pending",
                "until=2026-01-31T09:30:00Z",
                "page=0",
                "cursor=x"
            })
    void a_filter_out_of_range_or_unknown_is_malformed(String query) {
        admin.get(EVENTS + '?' + query).isMalformed();
    }

    @Test
    void events_are_filtered_by_resource() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        var checkIn = newCheckIn(keyResult, 5);
        var other = newObjective(cycle);
        var alignment = newAlignment(objective, other);
        assertThat(typesOf(cycle)).containsExactly("cycle.created");
        assertThat(typesOf(objective)).containsExactly("objective.updated", "objective.created");
        assertThat(typesOf(keyResult)).containsExactly("key_result.updated", "key_result.created");
        assertThat(typesOf(checkIn)).containsExactly("check_in.created");
        admin.delete(Paths.objective(objective)).is(200);
        assertThat(typesOf(objective)).containsExactly("objective.deleted", "objective.updated", "objective.created");
        assertThat(typesOf(keyResult))
                .containsExactly("key_result.deleted", "key_result.updated", "key_result.created");
        assertThat(typesOf(alignment)).containsExactly("alignment.deleted", "alignment.created");
        assertThat(typesOf(other)).containsExactly("objective.created");
    }

    @Test
    void an_unknown_resource_has_no_events() {
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, newObjective())) {
            var found = admin.get(EVENTS + "?resource_id=" + id).is(200);
            assertThat(found.ids()).as(id).isEmpty();
            assertThat(found.meta().get("total").intValue()).isZero();
        }
        assertThat(admin.get(EVENTS + "?resource_id=").is(200).ids()).isEmpty();
        assertThat(admin.get(EVENTS + "?resource_id").is(200).ids()).isEmpty();
        assertThat(typesOf(acme.adminUser().id())).isEmpty();
    }

    @Test
    void events_are_filtered_by_time_to_the_microsecond() throws InterruptedException {
        newCycle();
        Thread.sleep(5);
        var objective = newObjective();
        var moment = momentOf(objective);

        assertThat(types(since(moment))).containsExactly("objective.created");
        assertThat(types(since(moment.plus(1, ChronoUnit.MICROS)))).isEmpty();
        assertThat(types(since(moment.minus(1, ChronoUnit.MICROS)))).containsExactly("objective.created");
        // Digits after the microseconds are ignored.
        assertThat(types(admin.get(EVENTS + "?since=" + moment.toString().replace("Z", "999Z"))))
                .containsExactly("objective.created");
        var shown = admin.get(EVENTS + "?type=objective.created").data().get(0).get("timestamp");
        assertThat(types(admin.get(EVENTS + "?since=" + shown.textValue()))).contains("objective.created");
        var elsewhere = moment.plusSeconds(5_400).toString().replace("Z", "%2B01:30");
        assertThat(types(admin.get(EVENTS + "?since=" + elsewhere))).containsExactly("objective.created");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0001-01-01T00:00:00Z",
                "1969-12-31T23:59:59.999999Z",
                "1970-01-01T00:00:00Z",
                "2020-01-01T00:00:00Z"
            })
    void a_time_long_ago_returns_all_events(String since) {
        newCycle();
        assertThat(types(admin.get(EVENTS + "?since=" + since))).containsExactly("cycle.created");
    }

    @Test
    void a_time_in_the_future_returns_no_events() {
        newCycle();
        assertThat(since(Instant.now().plusSeconds(60)).is(200).ids()).isEmpty();
        assertThat(admin.get(EVENTS + "?since=9999-12-31T23:59:59.999999Z")
                        .is(200)
                        .ids())
                .isEmpty();
    }

    @Test
    void filters_can_be_combined() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        newObjective(cycle);
        admin.put(Paths.objective(objective), object("title", "One")).is(200);
        var moment = Instant.now().truncatedTo(ChronoUnit.MICROS);
        admin.put(Paths.objective(objective), object("title", "Two")).is(200);

        var all = admin.get(EVENTS + "?type=objective.updated&resource_id=" + objective + "&since=" + moment)
                .is(200);
        assertThat(all.data()).hasSize(1);
        assertThat(all.data().get(0).at("/previous/title").textValue()).isEqualTo("One");
        assertThat(all.meta().get("total").intValue()).isOne();
        assertThat(admin.get(EVENTS + "?type=objective.updated&resource_id=" + objective)
                        .ids())
                .hasSize(2);
        assertThat(admin.get(EVENTS + "?type=cycle.created&resource_id=" + objective)
                        .ids())
                .isEmpty();
        assertThat(admin.get(EVENTS + "?type=objective.created&since=" + moment).ids())
                .isEmpty();
    }

    @Test
    void another_organisation_does_not_see_the_events() {
        var objective = newObjective();
        var other = organization().admin();
        assertThat(other.get(EVENTS).is(200).ids()).isEmpty();
        assertThat(other.get(EVENTS + "?resource_id=" + objective).is(200).ids())
                .isEmpty();
        var all = other.get(EVENTS + "?type=objective.created&since=2020-01-01T00:00:00Z");
        assertThat(all.is(200).ids()).isEmpty();
        assertThat(all.meta().get("total").intValue()).isZero();
        assertThat(Events.export(other, EVENTS)).isEmpty();
    }

    @Test
    void only_admins_with_the_scope_can_read_events() {
        newCycle();
        stranger().get(EVENTS).isProblem(401, "unauthenticated");
        viewer.get(EVENTS).isProblem(403, "forbidden");
        member.get(EVENTS).isProblem(403, "forbidden");
        acme.scoped("read", "write").get(EVENTS).isProblem(403, "insufficient_scope");
        assertThat(acme.scoped("webhooks").get(EVENTS).is(200).ids()).hasSize(1);
        organization("team").admin().get(EVENTS).isProblem(403, "plan_required");
    }

    @Test
    void there_is_no_other_operation_on_events() {
        newCycle();
        var id = admin.get(EVENTS).ids().getFirst();
        for (var method : List.of("POST", "PUT", "DELETE")) {
            assertThat(admin.send(method, EVENTS, method.equals("DELETE") ? null : object())
                            .isProblem(405, "method_not_allowed")
                            .header("Allow"))
                    .hasValue("GET, HEAD");
        }
        admin.get(EVENTS + '/' + id).isNotFound();
        admin.delete(EVENTS + '/' + id).isNotFound();
        assertThat(admin.get(EVENTS).ids()).containsExactly(id);
    }

    @Test
    void the_links_to_other_pages_keep_the_filters() {
        var objective = newObjective();
        for (int i = 0; i < 4; i++) {
            admin.put(Paths.objective(objective), object("title", "Title " + i)).is(200);
        }
        var filters = "type=objective.updated&resource_id=" + objective;
        var second = admin.get(EVENTS + '?' + filters + "&per_page=1&page=2").is(200);
        assertThat(second.data().get(0).at("/data/title").textValue()).isEqualTo("Title 2");
        assertThat(second.meta().toString()).isEqualTo("{\"page\":2,\"per_page\":1,\"total\":4}");
        var links = second.header("Link").orElseThrow();
        for (var relation : List.of("first", "prev", "next", "last")) {
            assertThat(links).contains("rel=\"" + relation + '"');
        }
        for (var link : links.split(", ")) {
            assertThat(link).startsWith("</v1/events?").contains("type=objective.updated", "resource_id=" + objective);
        }
        var pages = new ArrayList<String>();
        for (int page = 1; page <= 5; page++) {
            pages.addAll(admin.get(EVENTS + '?' + filters + "&per_page=1&page=" + page)
                    .ids());
        }
        assertThat(pages)
                .isEqualTo(admin.get(EVENTS + '?' + filters + "&per_page=100").ids());
    }

    @Test
    void more_than_100_per_page_is_100() {
        var cycle = newCycle();
        for (int i = 0; i < 101; i++) {
            newObjective(cycle);
        }
        var page = admin.get(EVENTS + "?per_page=1000").is(200);
        assertThat(page.ids()).hasSize(100);
        assertThat(page.meta().toString()).isEqualTo("{\"page\":1,\"per_page\":100,\"total\":102}");
        assertThat(admin.get(EVENTS + "?per_page=1000&page=2").ids()).hasSize(2);
    }

    @Test
    void an_export_by_cursor_is_complete_and_without_repetition_during_writes() throws Exception {
        var cycle = newCycle();
        var keyResult = newKeyResult(newObjective(cycle), 0, 1_000);
        for (int i = 1; i <= 20; i++) {
            newCheckIn(keyResult, i);
        }
        var known = Events.export(admin, EVENTS + "?per_page=100").stream()
                .map(EventListTest::id)
                .toList();
        assertThat(known).hasSize(63);
        var done = new AtomicBoolean();
        try (var writer = Executors.newSingleThreadExecutor()) {
            var written = writer.submit(() -> {
                int value = 20;
                while (!done.get()) {
                    newCheckIn(keyResult, ++value);
                }
                return value;
            });
            for (int perPage : List.of(1, 7, 10)) {
                var exported = Events.export(admin, EVENTS + "?per_page=" + perPage).stream()
                        .map(EventListTest::id)
                        .toList();
                assertThat(exported)
                        .doesNotHaveDuplicates()
                        .isSortedAccordingTo(Comparator.reverseOrder())
                        .endsWith(known.toArray(String[]::new));
            }
            done.set(true);
            int checkIns = written.get(MAX_SECONDS, TimeUnit.SECONDS);
            assertThat(checkIns).isGreaterThan(20);
            assertThat(Events.export(admin, EVENTS + "?per_page=100&type=check_in.created"))
                    .hasSize(checkIns);
        }
    }

    @Test
    void a_ping_is_in_the_list() {
        var webhook = admin.post("/v1/webhooks", object("url", "http://127.0.0.1:9/hook", "events", List.of("*")))
                .is(201)
                .id();
        var events = new Events(service, admin);
        admin.post("/v1/webhooks/" + webhook + "/ping", null).is(202);
        var told = events.next();
        assertThat(told)
                .containsExactly(new Events.Event(
                        "webhook.ping",
                        admin.get("/v1/webhooks").data().get(0),
                        null,
                        acme.adminUser().id()));
        assertThat(typesOf(webhook)).containsExactly("webhook.ping");
    }

    /** Shows that the check which all tests of events use can fail. */
    @Test
    void an_event_that_does_not_match_its_schema_fails_the_check() {
        admin.put(Paths.objective(newObjective()), object("title", "Changed", "description", "Why"))
                .is(200);
        var event = admin.get(EVENTS + "?type=objective.updated").data().get(0);
        var schemas = EventSchemas.of(service);
        schemas.check(event);
        for (var spoil : List.<Consumer<ObjectNode>>of(
                spoilt -> spoilt.remove("data"),
                spoilt -> spoilt.remove("previous"),
                spoilt -> spoilt.put("type", "objective.created"),
                spoilt -> spoilt.put("id", 5),
                spoilt -> spoilt.put("timestamp", "today"),
                spoilt -> spoilt.withObject("/data").remove("title"),
                spoilt -> spoilt.withObject("/data").put("progress", "0"),
                spoilt -> spoilt.withObject("/data").put("status", "lost"),
                spoilt -> spoilt.withObject("/data").putNull("team_id"),
                spoilt -> spoilt.withObject("/previous").put("description", 5),
                spoilt -> spoilt.withObject("/previous").putNull("title"),
                spoilt -> spoilt.withObject("/previous").removeAll(),
                spoilt -> spoilt.withObject("/actor").put("user_id", "obj_5"))) {
            var spoilt = event.<ObjectNode>deepCopy();
            spoil.accept(spoilt);
            assertThatThrownBy(() -> schemas.check(spoilt)).as(spoilt::toString).isInstanceOf(AssertionError.class);
        }
    }

    private List<String> typesOf(String resource) {
        return types(admin.get(EVENTS + "?resource_id=" + resource));
    }

    private Answer since(Instant moment) {
        return admin.get(EVENTS + "?since=" + moment);
    }

    private static List<String> types(Answer events) {
        return events.is(200)
                .data()
                .valueStream()
                .map(event -> event.get("type").textValue())
                .toList();
    }

    private static String id(JsonNode event) {
        return event.get("id").textValue();
    }

    /** The time of the event in microseconds, which the API does not show. */
    private Instant momentOf(String resource) {
        long micros = TestDatabase.count(
                "SELECT (extract(epoch FROM created_at) * 1000000)::bigint FROM event"
                        + " WHERE organization_id = ? AND resource_id = ?",
                acme.id(),
                resource);
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
