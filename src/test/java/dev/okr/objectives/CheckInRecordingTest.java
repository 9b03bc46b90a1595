package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.Answer;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When check-ins were recorded, and which of them rules. */
@QuarkusTest
class CheckInRecordingTest extends HttpTest {
    private String objective;
    private String keyResult;
    private String checkIns;

    @BeforeEach
    void createKeyResult() {
        objective = newObjective();
        keyResult = newKeyResult(objective, 0, 10);
        checkIns = Paths.checkIns(keyResult);
    }

    @Test
    void a_check_in_that_was_recorded_earlier_changes_history_alone() {
        var last = newCheckIn(keyResult, 5);
        acme.backdate();
        var history = member.post(checkIns, object("value", 2, "recorded_at", "2020-02-29T12:00:00.000001+01:00"))
                .is(201);
        assertThat(history.text("recorded_at")).isEqualTo("2020-02-29T11:00:00Z");
        assertThat(viewer.get(checkIns).ids()).containsExactly(last, history.id());
        var read = readKeyResult();
        assertThat(read.number("current_value")).isEqualTo("5");
        assertThat(read.text("updated_at")).isEqualTo(read.text("created_at"));
        assertThat(read.data().at("/check_ins/1/id").textValue()).isEqualTo(history.id());
    }

    @Test
    void the_last_recorded_check_in_rules_in_whatever_order_they_are_created() {
        recorded(3, "2024-03-01T00:00:00Z");
        recorded(9, "2024-09-01T00:00:00Z");
        recorded(6, "2024-06-01T00:00:00Z");
        recorded(1, "2024-01-01T00:00:00Z");
        assertThat(currentValue()).isEqualTo("9");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0.9");
        assertThat(viewer.get(checkIns).data().findValuesAsText("value")).containsExactly("9", "6", "3", "1");
        assertThat(Events.export(viewer, checkIns + "?per_page=1").stream()
                        .map(each -> each.get("value").asText()))
                .containsExactly("9", "6", "3", "1");
    }

    @Test
    void without_a_time_a_check_in_is_recorded_after_the_last_one() {
        var soon = Instant.now().plusSeconds(120).truncatedTo(ChronoUnit.SECONDS);
        recorded(5, soon.toString());
        var next = newCheckIn(keyResult, 6);
        assertThat(currentValue()).isEqualTo("6");
        assertThat(viewer.get(checkIns).ids().getFirst()).isEqualTo(next);
        assertThat(TestDatabase.count(
                        "SELECT (extract(epoch FROM max(recorded_at) - min(recorded_at)) * 1000000)::bigint FROM check_in"
                                + " WHERE organization_id = ?",
                        acme.id()))
                .isOne();
    }

    @Test
    void a_time_that_is_taken_is_a_conflict() {
        var taken = recorded(5, "2024-01-01T00:00:00.123456Z");
        var refused = member.post(checkIns, object("value", 6, "recorded_at", "2024-01-01T00:00:00.1234569Z"))
                .isProblem(409, "conflict");
        assertThat(refused.detail()).contains(taken);
        recorded(6, "2024-01-01T00:00:00.123457Z");
        var other = Paths.checkIn(keyResult, recorded(7, "2024-01-02T00:00:00Z"));
        member.put(other, object("recorded_at", "2024-01-01T00:00:00.123456Z")).isProblem(409, "conflict");
        member.put(other, object("recorded_at", "2024-01-02T00:00:00Z")).is(200);
        // Another key result has its own times.
        member.post(
                        Paths.checkIns(newKeyResult(objective, 0, 10)),
                        object("value", 6, "recorded_at", "2024-01-01T00:00:00.123456Z"))
                .is(201);
    }

    @Test
    void a_time_must_be_from_2000_to_five_minutes_ahead() {
        for (var wrong : new String[] {
            "1999-12-31T23:59:59.999999Z", Instant.now().plusSeconds(360).toString()
        }) {
            member.post(checkIns, object("value", 5, "recorded_at", wrong)).isInvalid("/recorded_at out_of_range");
        }
        member.post(checkIns, object("value", 5, "recorded_at", "2024-01-01")).isInvalid("/recorded_at invalid_format");
        var path = Paths.checkIn(keyResult, recorded(5, "2000-01-01T00:00:00Z"));
        recorded(5, Instant.now().plusSeconds(240).toString());
        member.put(path, object("recorded_at", "1999-12-31T00:00:00Z")).isInvalid("/recorded_at out_of_range");
        member.put(path, object("recorded_at", null)).isInvalid("/recorded_at not_nullable");
    }

    @Test
    void a_changed_time_can_make_another_check_in_rule() {
        var first = Paths.checkIn(keyResult, recorded(3, "2024-03-01T00:00:00Z"));
        var second = Paths.checkIn(keyResult, recorded(6, "2024-06-01T00:00:00Z"));
        member.put(first, object("recorded_at", "2024-07-01T00:00:00Z")).is(200);
        assertThat(currentValue()).isEqualTo("3");
        member.put(first, object("recorded_at", "2024-05-01T00:00:00Z")).is(200);
        assertThat(currentValue()).isEqualTo("6");
        member.put(second, object("recorded_at", "2024-05-15T00:00:00Z")).is(200);
        assertThat(currentValue()).isEqualTo("6");
        member.put(first, object("recorded_at", "2024-04-01T00:00:00Z", "value", 4))
                .is(200);
        assertThat(currentValue()).isEqualTo("6");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0.6");
    }

    @Test
    void sending_the_time_that_was_shown_changes_nothing() {
        var created = member.post(checkIns, object("value", 5)).is(201);
        acme.backdate();
        var before = viewer.get(checkIns).data().get(0);
        var path = Paths.checkIn(keyResult, created.id());
        assertThat(member.put(path, object("recorded_at", created.text("recorded_at")))
                        .is(200)
                        .data())
                .isEqualTo(before);
    }

    @Test
    void an_increment_adds_to_the_current_value() {
        newCheckIn(keyResult, new BigDecimal("1.5"));
        var added = member.post(checkIns, object("increment", new BigDecimal("2.25")))
                .is(201);
        assertThat(added.number("value")).isEqualTo("3.75");
        assertThat(added.data().has("increment")).isFalse();
        assertThat(currentValue()).isEqualTo("3.75");
        assertThat(member.post(checkIns, object("increment", -4, "value", null))
                        .is(201)
                        .number("value"))
                .isEqualTo("-0.25");
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 7))
                .is(200);
        assertThat(member.post(checkIns, object("increment", 1)).is(201).number("value"))
                .isEqualTo("8");
    }

    @Test
    void a_check_in_has_either_a_value_or_an_increment() {
        member.post(checkIns, object("value", 1, "increment", 1)).isInvalid("/increment conflicting_field");
        member.post(checkIns, object("increment", 1, "recorded_at", "2024-01-01T00:00:00Z"))
                .isInvalid("/recorded_at conflicting_field");
        member.post(checkIns, object("increment", "1")).isInvalid("/increment invalid_type");
        member.post(checkIns, object("increment", null)).isInvalid("/value required");
        newCheckIn(keyResult, new BigDecimal("99999999999.999999"));
        member.post(checkIns, object("increment", new BigDecimal("0.000001"))).isInvalid("/increment out_of_range");
        member.put(Paths.checkIn(keyResult, newCheckIn(keyResult, 5)), object("increment", 1))
                .isInvalid("/increment unknown_field");
    }

    @Test
    void a_boolean_key_result_has_no_increment() {
        var body = Requests.with(Requests.keyResult(0, 1), "metric_type", "boolean");
        var path = Paths.checkIns(member.post(Paths.keyResults(objective), body).id());
        member.post(path, object("increment", 1)).isInvalid("/increment invalid_value");
    }

    @Test
    void the_key_result_shows_the_confidence_of_the_check_in_that_rules() {
        var first = member.post(checkIns, object("value", 5, "confidence", 7)).is(201);
        assertThat(first.number("confidence")).isEqualTo("7");
        assertThat(readKeyResult().number("confidence")).isEqualTo("7");
        acme.backdate();
        member.post(checkIns, object("value", 5, "confidence", 3)).is(201);
        var read = readKeyResult();
        assertThat(read.number("confidence")).isEqualTo("3");
        assertThat(read.text("updated_at")).isGreaterThan(read.text("created_at"));
        member.post(checkIns, object("value", 9, "confidence", 10, "recorded_at", "2024-01-01T00:00:00Z"))
                .is(201);
        assertThat(viewer.get(Paths.keyResults(objective))
                        .data()
                        .at("/0/confidence")
                        .intValue())
                .isEqualTo(3);
        var last = Paths.checkIn(keyResult, newCheckIn(keyResult, 5));
        assertThat(readKeyResult().data().has("confidence")).isFalse();
        member.put(last, object("confidence", 0)).is(200);
        assertThat(readKeyResult().number("confidence")).isEqualTo("0");
        assertThat(member.put(last, object("confidence", null)).is(200).data().has("confidence"))
                .isFalse();
        for (var wrong : new Object[] {-1, 11, new BigDecimal("1e2")}) {
            member.post(checkIns, object("value", 5, "confidence", wrong)).isInvalid("/confidence out_of_range");
        }
        for (var wrong : new Object[] {new BigDecimal("5.5"), "5", true}) {
            member.post(checkIns, object("value", 5, "confidence", wrong)).isInvalid("/confidence invalid_type");
        }
    }

    @Test
    void a_changed_confidence_has_an_event_of_the_key_result() {
        member.post(checkIns, object("value", 5, "confidence", 7)).is(201);
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        member.post(checkIns, object("value", 5, "confidence", 3)).is(201);
        var happened = events.next();
        assertThat(happened).extracting(Events.Event::type).containsExactly("check_in.created", "key_result.updated");
        assertThat(happened.getLast().previous().toString()).isEqualTo("{\"confidence\":7}");
        assertThat(happened.getLast().data().get("confidence").intValue()).isEqualTo(3);
    }

    @Test
    void deleting_the_last_check_in_returns_to_the_one_before() {
        var first = Paths.checkIn(keyResult, newCheckIn(keyResult, 2));
        member.post(checkIns, object("value", 4, "confidence", 8)).is(201);
        var last = newCheckIn(keyResult, 6);
        var deleted = member.delete(Paths.checkIn(keyResult, last)).is(200);
        assertThat(deleted.text()).isEqualTo("{\"data\":{\"id\":\"%s\",\"deleted\":true}}".formatted(last));
        assertThat(currentValue()).isEqualTo("4");
        assertThat(readKeyResult().number("confidence")).isEqualTo("8");
        member.delete(Paths.checkIn(keyResult, last)).isNotFound();
        member.delete(first).is(200);
        assertThat(currentValue()).isEqualTo("4");
        member.delete(Paths.checkIn(keyResult, viewer.get(checkIns).ids().getFirst()))
                .is(200);
        assertThat(currentValue()).isEqualTo("0");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0");
        assertThat(viewer.get(checkIns).ids()).isEmpty();
    }

    @Test
    void deleting_the_last_check_in_replaces_a_value_that_was_set_later() {
        var first = Paths.checkIn(keyResult, newCheckIn(keyResult, 2));
        var last = Paths.checkIn(keyResult, newCheckIn(keyResult, 6));
        var older = Paths.checkIn(keyResult, recorded(1, "2024-01-01T00:00:00Z"));
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 9))
                .is(200);
        member.delete(older).is(200);
        assertThat(currentValue()).isEqualTo("9");
        member.delete(last).is(200);
        assertThat(currentValue()).isEqualTo("2");
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 9))
                .is(200);
        member.delete(first).is(200);
        assertThat(currentValue()).isEqualTo("0");
    }

    @Test
    void only_its_author_or_an_admin_deletes_a_check_in() {
        var path = Paths.checkIn(keyResult, newCheckIn(keyResult, 5));
        acme.user("Mary Jackson", "member").api().delete(path).isProblem(403, "forbidden");
        viewer.delete(path).isProblem(403, "forbidden");
        organization().admin().delete(path).isNotFound();
        member.header("If-Match", "\"stale\"").delete(path).isProblem(412, "precondition_failed");
        for (var id : StrangeIds.like(IdKind.CHECK_IN, path.substring(path.lastIndexOf('/') + 1))) {
            member.delete(Paths.checkIn(keyResult, id)).isNotFound();
        }
        admin.delete(path).is(200);
    }

    @Test
    void deleting_has_events_for_what_changed() {
        newCheckIn(keyResult, 2);
        var last = newCheckIn(keyResult, 6);
        acme.backdate();
        var events = new Events(service, admin);
        events.skip();
        var shown = viewer.get(checkIns).data().get(0);
        member.delete(Paths.checkIn(keyResult, last)).is(200);
        var happened = events.next();
        assertThat(happened)
                .extracting(Events.Event::type)
                .containsExactly("check_in.deleted", "key_result.updated", "objective.updated");
        assertThat(happened.getFirst().data()).isEqualTo(shown);
        assertThat(happened.get(1).previous().get("current_value").asInt()).isEqualTo(6);
        assertThat(happened.getFirst().data().get("objective_id").textValue()).isEqualTo(objective);
    }

    /** The previous version of the service does not write {@code recorded_at}. */
    @Test
    void a_check_in_of_the_previous_version_was_recorded_when_it_was_created() {
        newCheckIn(keyResult, 5);
        TestDatabase.execute("""
                INSERT INTO check_in (organization_id, id, key_result_id, value, author_id, created_at, updated_at)
                SELECT organization_id, ?, key_result_id, 8, author_id, created_at + interval '1 minute', created_at
                FROM check_in WHERE organization_id = ?
                """, UuidV7.at(Instant.now()), acme.id());
        var list = viewer.get(checkIns).data();
        assertThat(list.findValuesAsText("value")).containsExactly("8", "5");
        assertThat(list.get(0).get("recorded_at")).isEqualTo(list.get(0).get("created_at"));
        newCheckIn(keyResult, 9);
        assertThat(viewer.get(checkIns).data().findValuesAsText("value")).containsExactly("9", "8", "5");
        assertThat(currentValue()).isEqualTo("9");
    }

    private String recorded(Object value, String time) {
        return member.post(checkIns, object("value", value, "recorded_at", time))
                .is(201)
                .id();
    }

    private Answer readKeyResult() {
        return viewer.get(Paths.keyResult(objective, keyResult)).is(200);
    }

    private BigDecimal currentValue() {
        return readKeyResult().number("current_value");
    }
}
