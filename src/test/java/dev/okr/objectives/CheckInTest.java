package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QuarkusTest
class CheckInTest extends HttpTest {
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
    void the_caller_is_the_author_of_a_new_check_in() {
        var created = member.post(checkIns, object("value", new BigDecimal("2.50"), "note", " Two went live. "))
                .is(201);
        assertThat(created.header("Location")).hasValue(checkIns + '/' + created.id());
        assertThat(created.id()).matches("ci_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(created.text()).isEqualTo("""
                        {"data":{"id":"%s","key_result_id":"%s","objective_id":"%s","value":2.5,"note":"Two went live.",\
                        "author_id":"%s","recorded_at":"%s","created_at":"%5$s","updated_at":"%5$s"}}""".formatted(
                        created.id(), keyResult, objective, acme.memberUser().id(), created.text("created_at")));
        assertThat(viewer.get(checkIns).is(200).data().get(0)).isEqualTo(created.data());
        assertThat(member.put(checkIns + '/' + created.id(), object()).is(200).data())
                .isEqualTo(created.data());
    }

    @Test
    void a_check_in_halfway_to_the_target_sets_progress_to_one_half() {
        acme.backdate();
        newCheckIn(keyResult, 5);
        var read = viewer.get(Paths.keyResult(objective, keyResult));
        assertThat(read.number("current_value")).isEqualTo("5");
        assertThat(read.number("progress")).isEqualTo("0.5");
        assertThat(read.text("updated_at")).isGreaterThan(read.text("created_at"));
        var above = viewer.get(Paths.objective(objective));
        assertThat(above.number("progress")).isEqualTo("0.5");
        assertThat(above.text("updated_at")).isGreaterThan(above.text("created_at"));
        assertThat(viewer.get("/v1/cycles/" + above.text("cycle_id")).number("overall_progress"))
                .isEqualTo("0.5");
    }

    @Test
    void a_check_in_with_the_same_value_does_not_change_key_result_and_objective() {
        acme.backdate();
        newCheckIn(keyResult, 0);
        var read = viewer.get(Paths.keyResult(objective, keyResult));
        assertThat(read.text("updated_at")).isEqualTo(read.text("created_at"));
        assertThat(read.data().get("check_ins")).hasSize(1);
        var above = viewer.get(Paths.objective(objective));
        assertThat(above.text("updated_at")).isEqualTo(above.text("created_at"));
    }

    @Test
    void a_check_in_that_does_not_change_progress_does_not_change_the_objective() {
        newCheckIn(keyResult, 10);
        acme.backdate();
        newCheckIn(keyResult, 20);
        var read = viewer.get(Paths.keyResult(objective, keyResult));
        assertThat(read.number("current_value")).isEqualTo("20");
        assertThat(read.text("updated_at")).isGreaterThan(read.text("created_at"));
        var above = viewer.get(Paths.objective(objective));
        assertThat(above.text("updated_at")).isEqualTo(above.text("created_at"));
    }

    @Test
    void one_response_lists_all_invalid_fields() {
        member.post(checkIns, object()).isInvalid("/value required");
        member.post(checkIns, object("value", null, "note", 5)).isInvalid("/value not_nullable", "/note invalid_type");
        member.post(checkIns, object("value", "5", "note", "a\u0000", "author_id", "x", "created_at", "y"))
                .isInvalid(
                        "/value invalid_type",
                        "/note invalid_characters",
                        "/author_id unknown_field",
                        "/created_at unknown_field");
        member.post(checkIns, object("value", new BigDecimal("0.0000001"), "note", "🎯".repeat(4097)))
                .isInvalid("/value too_many_decimals", "/note too_long");
        member.post(checkIns, object("value", 1, "note", "🎯".repeat(4096))).is(201);
        assertThat(member.post(checkIns, object("value", 1, "note", null))
                        .is(201)
                        .data()
                        .has("note"))
                .isFalse();
    }

    @Test
    void a_check_in_on_a_boolean_is_0_or_1() {
        var body = with(Requests.keyResult(0, 1), "metric_type", "boolean");
        var path = Paths.checkIns(member.post(Paths.keyResults(objective), body).id());
        member.post(path, object("value", 2)).isInvalid("/value invalid_value");
        member.post(path, object("value", new BigDecimal("0.5"))).isInvalid("/value invalid_value");
        member.post(path, object("value", -1, "note", 1)).isInvalid("/value invalid_value", "/note invalid_type");
        var id = member.post(path, object("value", new BigDecimal("1.000")))
                .is(201)
                .id();
        member.put(path + '/' + id, object("value", 2)).isInvalid("/value invalid_value");
        member.put(path + '/' + id, object("value", 0)).is(200);
    }

    @Test
    void changing_the_newest_check_in_changes_the_key_result() {
        newCheckIn(keyResult, 2);
        var newest = newCheckIn(keyResult, 5);
        acme.backdate();
        var changed = member.put(checkIns + '/' + newest, object("value", 8)).is(200);
        assertThat(changed.number("value")).isEqualTo("8");
        assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
        assertThat(currentValue()).isEqualTo("8");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0.8");
    }

    @Test
    void changing_an_older_check_in_does_not_change_the_key_result() {
        var older = newCheckIn(keyResult, 2);
        newCheckIn(keyResult, 5);
        acme.backdate();
        assertThat(member.put(checkIns + '/' + older, object("value", 9))
                        .is(200)
                        .number("value"))
                .isEqualTo("9");
        var read = viewer.get(Paths.keyResult(objective, keyResult));
        assertThat(read.number("current_value")).isEqualTo("5");
        assertThat(read.text("updated_at")).isEqualTo(read.text("created_at"));
        assertThat(read.data().get("check_ins").get(1).get("value").decimalValue())
                .isEqualTo("9");
    }

    @Test
    void a_current_value_set_on_the_key_result_stays_until_the_next_check_in() {
        var newest = newCheckIn(keyResult, 5);
        member.put(Paths.keyResult(objective, keyResult), object("current_value", 7))
                .is(200);
        assertThat(currentValue()).isEqualTo("7");
        member.put(checkIns + '/' + newest, object("note", "Only a note")).is(200);
        assertThat(currentValue()).isEqualTo("7");
        newCheckIn(keyResult, 6);
        assertThat(currentValue()).isEqualTo("6");
    }

    @Test
    void a_put_clears_the_note_but_not_the_value() {
        var path = checkIns
                + '/'
                + member.post(checkIns, object("value", 5, "note", "Why")).id();
        assertThat(member.put(path, object("note", null)).is(200).data().has("note"))
                .isFalse();
        member.put(path, object("value", null, "note", 1, "author_id", null))
                .isInvalid("/value not_nullable", "/note invalid_type", "/author_id unknown_field");
        assertThat(member.put(path, object("note", "Again")).is(200).text())
                .contains("\"value\":5,\"note\":\"Again\",");
    }

    @Test
    void a_put_without_a_change_keeps_updated_at() {
        var path = checkIns
                + '/'
                + member.post(checkIns, object("value", 5, "note", "Why")).id();
        acme.backdate();
        var before = viewer.get(checkIns).data().get(0);
        assertThat(member.put(path, object()).is(200).data()).isEqualTo(before);
        assertThat(member.put(path, object("value", new BigDecimal("5.0"), "note", "Why "))
                        .is(200)
                        .data())
                .isEqualTo(before);
    }

    @Test
    void only_its_author_or_an_admin_changes_a_check_in() {
        var path = checkIns + '/' + newCheckIn(keyResult, 5);
        acme.user("Mary Jackson", "member").api().put(path, object("value", 6)).isProblem(403, "forbidden");
        viewer.put(path, object("value", 6)).isProblem(403, "forbidden");
        member.put(path, object("value", 6)).is(200);
        assertThat(admin.put(path, object("value", 7)).is(200).text("author_id"))
                .isEqualTo(acme.memberUser().id());
    }

    @Test
    void the_list_is_newest_first_and_strictly_ordered_in_time() {
        var first = newCheckIn(keyResult, 1);
        var second = newCheckIn(keyResult, 2);
        var third = newCheckIn(keyResult, 3);
        newCheckIn(newKeyResult(objective, 0, 10), 1);
        assertThat(viewer.get(checkIns).is(200).ids()).containsExactly(third, second, first);
        viewer.get(checkIns + "?author_id=x").isMalformed();
    }

    @Test
    void a_new_check_in_is_the_newest_even_if_the_clock_was_set_back() {
        var first = newCheckIn(keyResult, 1);
        TestDatabase.execute(
                "UPDATE check_in SET created_at = " + TestDatabase.shifted("created_at", "+ interval '1 day'")
                        + " WHERE organization_id = ?",
                acme.id());
        var second = newCheckIn(keyResult, 2);
        assertThat(viewer.get(checkIns).ids()).containsExactly(second, first);
        assertThat(currentValue()).isEqualTo("2");
    }

    @Test
    void an_unknown_key_result_or_check_in_is_not_found() {
        var checkIn = newCheckIn(keyResult, 5);
        for (var id : StrangeIds.like(IdKind.KEY_RESULT, keyResult)) {
            viewer.get(Paths.checkIns(id)).isNotFound();
            member.post(Paths.checkIns(id), object("value", "5")).isNotFound();
            member.put(Paths.checkIn(id, checkIn), object("value", "5")).isNotFound();
        }
        for (var id : StrangeIds.like(IdKind.CHECK_IN, checkIn)) {
            member.put(Paths.checkIn(keyResult, id), object("value", "5")).isNotFound();
        }
    }

    @Test
    void a_check_in_under_another_key_result_is_not_found() {
        var checkIn = newCheckIn(keyResult, 5);
        member.put(Paths.checkIn(newKeyResult(objective, 0, 10), checkIn), object("value", 6))
                .isNotFound();
        assertThat(currentValue()).isEqualTo("5");
    }

    @Test
    void another_organisations_check_ins_are_not_found() {
        var checkIn = newCheckIn(keyResult, 5);
        var other = organization().admin();
        other.get(checkIns).isNotFound();
        other.post(checkIns, object("value", 6)).isNotFound();
        other.put(Paths.checkIn(keyResult, checkIn), object("value", 6)).isNotFound();
        assertThat(currentValue()).isEqualTo("5");
    }

    @Test
    void every_operation_needs_an_api_key() {
        var checkIn = newCheckIn(keyResult, 5);
        stranger().get(checkIns).isProblem(401, "unauthenticated");
        stranger().post(checkIns, object("value", 6)).isProblem(401, "unauthenticated");
        stranger().put(Paths.checkIn(keyResult, checkIn), object("value", 6)).isProblem(401, "unauthenticated");
    }

    @Test
    void a_viewer_can_read_but_not_create_check_ins() {
        viewer.get(checkIns).is(200);
        viewer.post(checkIns, object("value", 6)).isProblem(403, "forbidden");
    }

    @Test
    void there_is_no_operation_to_read_one_check_in() {
        var path = Paths.checkIn(keyResult, newCheckIn(keyResult, 5));
        assertThat(member.get(path).isProblem(405, "method_not_allowed").header("Allow"))
                .hasValue("DELETE, PATCH, PUT");
    }

    private BigDecimal currentValue() {
        return viewer.get(Paths.keyResult(objective, keyResult)).number("current_value");
    }
}
