package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class KeyResultTest extends HttpTest {
    private static final Map<String, Object> KEY_RESULT = Requests.keyResult(0, 10);
    private static final Map<String, Object> BOOLEAN = with(Requests.keyResult(0, 1), "metric_type", "boolean");

    private String objective;
    private String keyResults;

    @BeforeEach
    void createObjective() {
        objective = newObjective();
        keyResults = Paths.keyResults(objective);
    }

    @Test
    void a_new_key_result_belongs_to_the_caller_and_has_its_start_value() {
        var created = member.post(keyResults, Requests.keyResult(-5, 10)).is(201);
        assertThat(created.header("Location")).hasValue(keyResults + '/' + created.id());
        assertThat(created.id()).matches("kr_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(created.text()).isEqualTo("""
                        {"data":{"id":"%s","objective_id":"%s","title":"Onboarded customers","metric_type":"number",\
                        "start_value":-5,"current_value":-5,"target_value":10,"progress":0,"weight":1,"owner_id":"%s",\
                        "created_at":"%s","updated_at":"%4$s"}}""".formatted(
                        created.id(), objective, acme.memberUser().id(), created.text("created_at")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"number", "percentage", "currency"})
    void a_key_result_measures_numbers_percentages_or_currency(String metricType) {
        var body = with(
                KEY_RESULT,
                "metric_type",
                metricType,
                "owner_id",
                acme.adminUser().id());
        var created = member.post(keyResults, body).is(201);
        assertThat(created.text("metric_type")).isEqualTo(metricType);
        assertThat(created.text("owner_id")).isEqualTo(acme.adminUser().id());
    }

    @Test
    void a_key_result_looks_the_same_wherever_it_is_shown() {
        var created = member.post(keyResults, KEY_RESULT).is(201).data();
        var path = keyResults + '/' + created.get("id").textValue();
        assertThat(viewer.get(keyResults).is(200).data().get(0)).isEqualTo(created);
        assertThat(member.put(path, object()).is(200).data()).isEqualTo(created);
        ObjectNode read = viewer.get(path).is(200).data().deepCopy();
        assertThat(read.remove("check_ins")).isEmpty();
        assertThat(read).isEqualTo(created);
    }

    @ParameterizedTest
    @CsvSource({
        "30.0, 30",
        "3e1, 30",
        "0.250, 0.25",
        "-0, 0",
        "-0.0e5, 0",
        "0.0, 0",
        "1E-6, 0.000001",
        "1.5e+3, 1500",
        "99999999999.999999, 99999999999.999999",
        "-99999999999.999999, -99999999999.999999",
        "9999999999999999.9999990e-5, 99999999999.99999999",
        "1000000e-6, 1",
        "0.1000000000000000000000000000000000, 0.1",
        "10000000000, 10000000000"
    })
    void numbers_are_exact_decimals_and_are_written_plainly(String in, String out) {
        var answer = member.post(keyResults, """
                {"title": "x", "metric_type": "number", "start_value": %s, "target_value": 7}""".formatted(in));
        if (new BigDecimal(out).scale() > 6) {
            answer.isInvalid("/start_value too_many_decimals");
            return;
        }
        answer.is(201);
        assertThat(answer.text()).contains("\"start_value\":%s,\"current_value\":%s,".formatted(out, out));
        assertThat(viewer.get(keyResults).text())
                .contains("\"start_value\":%s,\"current_value\":%s,".formatted(out, out));
        assertThat(viewer.get(keyResults + '/' + answer.id()).text())
                .contains("\"start_value\":%s,\"current_value\":%s,".formatted(out, out));
    }

    @ParameterizedTest
    @CsvSource({
        "100000000000, out_of_range",
        "-100000000000, out_of_range",
        "1e11, out_of_range",
        "1e999999999, out_of_range",
        "-1e99999999999999999999, out_of_range",
        "1e2147483648, out_of_range",
        "1234567890123456789012345, out_of_range",
        "0.0000001, too_many_decimals",
        "1e-7, too_many_decimals",
        "1e-999999999, too_many_decimals",
        "1e-99999999999999999999, too_many_decimals",
        "1.2345678901234567890, too_many_decimals"
    })
    void a_number_out_of_bounds_is_rejected_before_any_computation(String number, String code) {
        var body = """
                {"title": "x", "metric_type": "number", "start_value": %1$s, "target_value": %1$s}""".formatted(number);
        member.post(keyResults, body).isInvalid("/start_value " + code, "/target_value " + code);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"5\"", "true", "[5]", "{}", "\"\"", "\"NaN\"", "\"1e3\""})
    void other_scalars_are_not_accepted_as_numbers(String value) {
        var body = """
                {"title": "x", "metric_type": "number", "start_value": 0, "target_value": %s}""".formatted(value);
        member.post(keyResults, body).isInvalid("/target_value invalid_type");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "Infinity", "-Infinity", "+5", "05", ".5", "5.", "0x5", "1e", "1_000", "５"})
    void a_number_with_invalid_json_syntax_is_malformed(String value) {
        var body = """
                {"title": "x", "metric_type": "number", "start_value": 0, "target_value": %s}""".formatted(value);
        member.post(keyResults, body).isMalformed();
    }

    @Test
    void one_response_lists_all_invalid_fields() {
        member.post(keyResults, object())
                .isInvalid(
                        "/title required", "/metric_type required", "/start_value required", "/target_value required");
        member.post(keyResults, object("title", null, "metric_type", null, "start_value", null, "target_value", null))
                .isInvalid(
                        "/title not_nullable",
                        "/metric_type not_nullable",
                        "/start_value not_nullable",
                        "/target_value not_nullable");
        member.post(
                        keyResults,
                        object(
                                "title",
                                "",
                                "metric_type",
                                "Number",
                                "start_value",
                                "0",
                                "target_value",
                                false,
                                "owner_id",
                                1,
                                "current_value",
                                0,
                                "progress",
                                0,
                                "objective_id",
                                objective))
                .isInvalid(
                        "/title too_short",
                        "/metric_type invalid_value",
                        "/start_value invalid_type",
                        "/target_value invalid_type",
                        "/owner_id invalid_type",
                        "/current_value unknown_field",
                        "/progress unknown_field",
                        "/objective_id unknown_field");
        member.post(keyResults, with(KEY_RESULT, "metric_type", 1)).isInvalid("/metric_type invalid_type");
    }

    @Test
    void the_owner_and_those_who_manage_the_objective_may_change_the_owner() {
        var mary = acme.user("Mary Jackson", "member");
        var path = keyResults + '/' + member.post(keyResults, KEY_RESULT).id();
        var toMary = object("owner_id", mary.id());

        assertThat(mary.api().put(path, toMary).isProblem(403, "forbidden").detail())
                .isEqualTo(
                        "Only an admin, the objective's owner or a lead of its team may change the owner of somebody "
                                + "else's key result.");
        mary.api().put(path, with(toMary, "title", 5)).isProblem(403, "forbidden");
        mary.api()
                .put(path, object("owner_id", acme.memberUser().id(), "title", "Changed"))
                .is(200);
        assertThat(member.put(path, toMary).is(200).text("owner_id")).isEqualTo(mary.id());
        assertThat(viewer.get(path).is(200).text("owner_id")).isEqualTo(mary.id());

        // Mary owns the key result, but not its objective.
        assertThat(mary.api()
                        .put(path, object("owner_id", acme.adminUser().id()))
                        .is(200)
                        .text("owner_id"))
                .isEqualTo(acme.adminUser().id());
        mary.api().put(path, toMary).isProblem(403, "forbidden");
        admin.put(path, toMary).is(200);
        admin.put(path, object("owner_id", organization().memberUser().id())).isInvalid("/owner_id unknown_reference");
        admin.put(path, object("owner_id", null)).isInvalid("/owner_id not_nullable");
    }

    @Test
    void the_owner_must_be_a_user_of_the_organisation() {
        for (var owner : StrangeIds.like(IdKind.USER, acme.memberUser().id())) {
            if (!owner.contains("%")) {
                member.post(keyResults, with(KEY_RESULT, "owner_id", owner)).isInvalid("/owner_id unknown_reference");
            }
        }
        member.post(
                        keyResults,
                        with(KEY_RESULT, "owner_id", organization().memberUser().id()))
                .isInvalid("/owner_id unknown_reference");
    }

    @Test
    void the_target_must_differ_from_the_start() {
        member.post(keyResults, Requests.keyResult(10, 10)).isInvalid("/target_value equals_start");
        member.post(keyResults, Requests.keyResult(new BigDecimal("10.0"), 10)).isInvalid("/target_value equals_start");
        var path = keyResults + '/' + newKeyResult(objective, 5, 10);
        member.put(path, object("target_value", 5)).isInvalid("/target_value equals_start");
        member.put(path, object("target_value", new BigDecimal("5.00"))).isInvalid("/target_value equals_start");
    }

    @Test
    void a_boolean_goes_from_0_to_1_and_knows_nothing_else() {
        member.post(keyResults, with(BOOLEAN, "start_value", 1)).isInvalid("/start_value invalid_value");
        member.post(keyResults, with(BOOLEAN, "target_value", 0)).isInvalid("/target_value invalid_value");
        member.post(keyResults, with(BOOLEAN, "start_value", 1, "target_value", 100))
                .isInvalid("/start_value invalid_value", "/target_value invalid_value");
        var path = keyResults + '/' + member.post(keyResults, BOOLEAN).is(201).id();
        member.put(path, object("current_value", new BigDecimal("0.5"))).isInvalid("/current_value invalid_value");
        member.put(path, object("current_value", 2)).isInvalid("/current_value invalid_value");
        member.put(path, object("target_value", 2)).isInvalid("/target_value invalid_value");
        member.put(path, object("target_value", 0)).isInvalid("/target_value invalid_value");
        assertThat(member.put(path, object("current_value", 1, "target_value", 1))
                        .is(200)
                        .text())
                .contains("\"current_value\":1,\"target_value\":1,\"progress\":1,");
    }

    @Test
    void the_metric_and_the_start_cannot_be_changed() {
        member.put(keyResults + '/' + newKeyResult(objective, 0, 10), object("metric_type", "number", "start_value", 0))
                .isInvalid("/metric_type unknown_field", "/start_value unknown_field");
    }

    @Test
    void one_response_to_a_put_lists_all_invalid_fields() {
        var path = keyResults + '/' + newKeyResult(objective, 0, 10);
        member.put(path, object("title", null, "current_value", null, "target_value", null))
                .isInvalid("/title not_nullable", "/current_value not_nullable", "/target_value not_nullable");
        member.put(path, object("title", "a".repeat(251), "current_value", "1", "target_value", 0, "x", 1))
                .isInvalid(
                        "/title too_long",
                        "/current_value invalid_type",
                        "/target_value equals_start",
                        "/x unknown_field");
    }

    @Test
    void a_put_changes_the_given_fields_and_recalculates_progress() {
        var path = keyResults + '/' + newKeyResult(objective, 0, 10);
        acme.backdate();
        var changed = member.put(path, object("title", "Renamed")).is(200);
        assertThat(changed.text()).contains("\"title\":\"Renamed\"").contains("\"progress\":0,");
        assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
        assertThat(objectiveUpdated()).isFalse();

        changed = member.put(path, object("current_value", 4)).is(200);
        assertThat(changed.text()).contains("\"current_value\":4,\"target_value\":10,\"progress\":0.4,");
        assertThat(objectiveUpdated()).isTrue();
        changed = member.put(path, object("target_value", 16)).is(200);
        assertThat(changed.text()).contains("\"current_value\":4,\"target_value\":16,\"progress\":0.25,");
        assertThat(viewer.get(path).text()).contains("\"progress\":0.25,").contains("\"check_ins\":[]");
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualTo("0.25");
    }

    @Test
    void a_put_without_a_change_keeps_updated_at() {
        var path = keyResults + '/' + newKeyResult(objective, 0, 10);
        acme.backdate();
        var before = viewer.get(keyResults).data().get(0);
        assertThat(member.put(path, object()).is(200).data()).isEqualTo(before);
        assertThat(member.put(
                                path,
                                object(
                                        "title", "Onboarded customers ",
                                        "current_value", new BigDecimal("0.00"),
                                        "target_value", new BigDecimal("10.0")))
                        .is(200)
                        .data())
                .isEqualTo(before);
        assertThat(objectiveUpdated()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 10, 5, 0.5",
        "0, 3, 1, 0.3333",
        "0, 3, 2, 0.6667",
        "0, 100000, 12345, 0.1235",
        "0, 100000, 5, 0.0001",
        "0, 100000, 4, 0",
        "0, 10, 20, 1",
        "0, 10, -5, 0",
        "10, 0, 10, 0",
        "10, 0, 4, 0.6",
        "10, 0, -1, 1",
        "10, 0, 11, 0",
        "-10, -20, -15, 0.5",
        "-10, 10, 0, 0.5",
        "0.1, 0.3, 0.2, 0.5",
        "-99999999999.999999, 99999999999.999999, 0, 0.5",
        "0, 0.000001, 0.000001, 1",
        "0, 20000, 1, 0.0001",
        "0, 20001, 1, 0"
    })
    void progress_is_the_fraction_between_start_and_target(
            BigDecimal start, BigDecimal target, BigDecimal current, String progress) {
        var path = keyResults + '/' + newKeyResult(objective, start, target);
        assertThat(member.put(path, object("current_value", current)).is(200).text())
                .contains("\"progress\":" + progress + ',');
        assertThat(viewer.get(Paths.objective(objective)).text()).contains("\"progress\":" + progress + ",\"status\"");
    }

    @Test
    void an_objectives_progress_is_the_mean_of_the_stored_progress_of_its_key_results() {
        newCheckIn(newKeyResult(objective, 0, 3), 1);
        newCheckIn(newKeyResult(objective, 0, 3), 1);
        assertThat(objectiveProgress()).isEqualTo("0.3333");
        var third = newKeyResult(objective, 0, 10);
        assertThat(objectiveProgress()).isEqualTo("0.2222");
        newCheckIn(third, 10);
        assertThat(objectiveProgress()).isEqualTo("0.5555");
        var cycle = viewer.get(Paths.objective(objective)).text("cycle_id");
        newObjective(cycle);
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualTo("0.2778");
    }

    @Test
    void deleting_a_key_result_deletes_its_check_ins_and_recalculates_progress() {
        var first = newKeyResult(objective, 0, 10);
        var second = newKeyResult(objective, 0, 10);
        newCheckIn(first, 10);
        newCheckIn(second, 5);
        acme.backdate();
        var deleted = member.delete(Paths.keyResult(objective, first)).is(200);
        assertThat(deleted.text()).isEqualTo("{\"data\":{\"id\":\"" + first + "\",\"deleted\":true}}");
        assertThat(objectiveProgress()).isEqualTo("0.5");
        assertThat(objectiveUpdated()).isTrue();
        assertThat(viewer.get(keyResults).ids()).containsExactly(second);
        viewer.get(Paths.checkIns(first)).isNotFound();
        member.delete(Paths.keyResult(objective, first)).isNotFound();
        assertThat(TestDatabase.count("SELECT count(*) FROM check_in WHERE organization_id = ?", acme.id()))
                .isEqualTo(1);
        member.delete(Paths.keyResult(objective, second)).is(200);
        assertThat(objectiveProgress()).isEqualTo("0");
    }

    @Test
    void only_the_objectives_owner_a_lead_of_its_team_or_an_admin_deletes_a_key_result() {
        var team = acme.team("Growth");
        var lead = acme.user("Katherine Johnson", "member");
        acme.join(team, lead, "lead");
        var mary = acme.user("Mary Jackson", "member");
        member.put(Paths.objective(objective), object("team_id", team.id())).is(200);
        // The owner of the key result is not the owner of the objective.
        var marys =
                member.post(keyResults, with(KEY_RESULT, "owner_id", mary.id())).id();
        mary.api().delete(Paths.keyResult(objective, marys)).isProblem(403, "forbidden");
        viewer.delete(Paths.keyResult(objective, marys)).isProblem(403, "forbidden");
        lead.api().delete(Paths.keyResult(objective, marys)).is(200);
        admin.delete(Paths.keyResult(objective, newKeyResult(objective, 0, 1))).is(200);
        member.delete(Paths.keyResult(objective, newKeyResult(objective, 0, 1))).is(200);
    }

    @Test
    void the_single_read_shows_the_newest_check_ins_first_and_at_most_100() {
        var keyResult = newKeyResult(objective, 0, 1000);
        var ids = new ArrayList<String>();
        for (int i = 1; i <= 101; i++) {
            ids.addFirst(newCheckIn(keyResult, i));
        }
        var read = viewer.get(Paths.keyResult(objective, keyResult)).is(200);
        var shown = read.data().get("check_ins");
        assertThat(shown.findValuesAsText("id")).isEqualTo(ids.subList(0, 100));
        assertThat(shown.get(0).properties().stream().map(Map.Entry::getKey))
                .containsExactly("id", "value", "created_at");
        assertThat(read.number("current_value")).isEqualTo("101");
    }

    @Test
    void the_list_is_newest_first() {
        var first = newKeyResult(objective, 0, 1);
        var second = newKeyResult(objective, 0, 1);
        newKeyResult(newObjective(), 0, 1);
        assertThat(viewer.get(keyResults).is(200).ids()).containsExactly(second, first);
        viewer.get(keyResults + "?owner_id=x").isMalformed();
    }

    @Test
    void an_unknown_key_result_is_not_found() {
        for (var id : StrangeIds.like(IdKind.KEY_RESULT, newKeyResult(objective, 0, 1))) {
            reading(Paths.keyResult(objective, id)).forEach(Answer::isNotFound);
        }
    }

    @Test
    void the_key_results_of_an_unknown_objective_are_not_found() {
        var keyResult = newKeyResult(objective, 0, 1);
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, objective)) {
            viewer.get(Paths.keyResults(id)).isNotFound();
            member.post(Paths.keyResults(id), object("title", 5)).isNotFound();
            reading(Paths.keyResult(id, keyResult)).forEach(Answer::isNotFound);
        }
    }

    @Test
    void a_key_result_under_another_objective_is_not_found() {
        var keyResult = newKeyResult(objective, 0, 1);
        reading(Paths.keyResult(newObjective(), keyResult)).forEach(Answer::isNotFound);
        viewer.get(Paths.keyResult(objective, keyResult)).is(200);
    }

    @Test
    void another_organisations_key_result_is_not_found() {
        var path = Paths.keyResult(objective, newKeyResult(objective, 0, 1));
        var other = organization().admin();
        other.get(keyResults).isNotFound();
        other.post(keyResults, KEY_RESULT).isNotFound();
        other.get(path).isNotFound();
        other.put(path, object("current_value", 1)).isNotFound();
        other.delete(path).isNotFound();
        assertThat(viewer.get(path).number("current_value")).isEqualTo("0");
    }

    @Test
    void every_operation_needs_an_api_key() {
        var path = Paths.keyResult(objective, newKeyResult(objective, 0, 1));
        stranger().get(keyResults).isProblem(401, "unauthenticated");
        stranger().post(keyResults, KEY_RESULT).isProblem(401, "unauthenticated");
        stranger().get(path).isProblem(401, "unauthenticated");
        stranger().put(path, object()).isProblem(401, "unauthenticated");
        stranger().delete(path).isProblem(401, "unauthenticated");
    }

    @Test
    void a_viewer_can_only_read() {
        var path = Paths.keyResult(objective, newKeyResult(objective, 0, 1));
        viewer.get(path).is(200);
        viewer.get(keyResults).is(200);
        viewer.post(keyResults, KEY_RESULT).isProblem(403, "forbidden");
        viewer.put(path, object("current_value", 1)).isProblem(403, "forbidden");
    }

    private List<Answer> reading(String path) {
        return List.of(member.get(path), member.put(path, object("title", 5)), member.delete(path));
    }

    private BigDecimal objectiveProgress() {
        return viewer.get(Paths.objective(objective)).number("progress");
    }

    private boolean objectiveUpdated() {
        var read = viewer.get(Paths.objective(objective));
        return !read.text("updated_at").equals(read.text("created_at"));
    }
}
