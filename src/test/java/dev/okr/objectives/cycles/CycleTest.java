package dev.okr.objectives.cycles;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static dev.okr.testing.Requests.without;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class CycleTest extends HttpTest {
    private static final String CYCLES = "/v1/cycles";
    private static final Map<String, Object> CYCLE = Requests.cycle();

    @Test
    void a_new_cycle_is_planned_and_empty() {
        var created = admin.post(CYCLES, CYCLE).is(201);
        assertThat(created.header("Location")).hasValue("/v1/cycles/" + created.id());
        assertThat(created.id()).matches("cyc_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(created.text()).isEqualTo("""
                        {"data":{"id":"%s","name":"Q1 2099","starts_at":"2099-01-01T00:00:00Z",\
                        "ends_at":"2099-04-01T00:00:00Z","status":"planned","objectives_count":0,"overall_progress":0,\
                        "created_at":"%s","updated_at":"%2$s"}}""".formatted(created.id(), created.text("created_at")));
        assertThat(Duration.between(Instant.parse(created.text("created_at")), Instant.now()))
                .isBetween(Duration.ofSeconds(-1), Duration.ofSeconds(30));
    }

    @Test
    void a_cycle_looks_the_same_wherever_it_is_shown() {
        var created = admin.post(CYCLES, CYCLE).data();
        var path = CYCLES + '/' + created.get("id").textValue();
        assertThat(viewer.get(path).is(200).data()).isEqualTo(created);
        assertThat(viewer.get(CYCLES).is(200).data().get(0)).isEqualTo(created);
        assertThat(admin.put(path, object()).is(200).data()).isEqualTo(created);
    }

    @Test
    void one_response_lists_all_missing_fields() {
        admin.post(CYCLES, object()).isInvalid("/name required", "/starts_at required", "/ends_at required");
    }

    @Test
    void one_response_lists_all_fields_of_a_wrong_type() {
        admin.post(CYCLES, object("name", 5, "starts_at", 1, "ends_at", true, "status", "active"))
                .isInvalid(
                        "/name invalid_type",
                        "/starts_at invalid_type",
                        "/ends_at invalid_type",
                        "/status unknown_field");
        admin.post(CYCLES, object("name", null, "starts_at", null, "ends_at", null))
                .isInvalid("/name not_nullable", "/starts_at not_nullable", "/ends_at not_nullable");
        admin.post(CYCLES, object("name", object("a", 1), "starts_at", new int[] {1}, "ends_at", object()))
                .isInvalid("/name invalid_type", "/starts_at invalid_type", "/ends_at invalid_type");
    }

    @Test
    void the_end_of_a_cycle_must_be_after_its_start() {
        admin.post(CYCLES, with(CYCLE, "ends_at", "2099-01-01T00:00:00Z")).isInvalid("/ends_at not_after_start");
        admin.post(CYCLES, with(CYCLE, "ends_at", "2098-12-31T23:59:59Z")).isInvalid("/ends_at not_after_start");
        admin.post(CYCLES, with(CYCLE, "ends_at", "2099-01-01T00:30:00+01:00")).isInvalid("/ends_at not_after_start");
        admin.post(CYCLES, with(CYCLE, "ends_at", "2099-01-01T00:00:00.000001Z"))
                .is(201);
    }

    @Test
    void cycles_may_overlap() {
        admin.post(CYCLES, CYCLE).is(201);
        admin.post(CYCLES, with(CYCLE, "name", "The same dates")).is(201);
    }

    @Test
    void timestamps_are_accepted_with_any_offset_and_shown_in_whole_seconds_of_utc() {
        var created = admin.post(
                        CYCLES,
                        with(
                                CYCLE,
                                "starts_at",
                                "2099-01-01t01:30:00.999999999+01:30",
                                "ends_at",
                                "9999-12-31T23:59:59Z"))
                .is(201);
        assertThat(created.text("starts_at")).isEqualTo("2099-01-01T00:00:00Z");
        assertThat(created.text("ends_at")).isEqualTo("9999-12-31T23:59:59Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0001-01-01T00:00:00Z", "1500-03-01T12:00:00Z"})
    void dates_before_the_gregorian_calendar_are_kept(String start) {
        var end = "1582-10-14T23:59:59Z";
        var cycle = with(CYCLE, "name", "From " + start, "starts_at", start, "ends_at", end);
        var path = CYCLES + '/' + admin.post(CYCLES, cycle).is(201).id();
        admin.put(path, object("name", "Renamed " + start)).is(200);
        var shown = admin.get(path);
        assertThat(shown.text("starts_at")).isEqualTo(start);
        assertThat(shown.text("ends_at")).isEqualTo(end);
    }

    @Test
    void fractions_of_seconds_are_stored_but_not_shown() {
        var id = admin.post(CYCLES, with(CYCLE, "starts_at", "2099-01-01T00:00:00.1234567Z"))
                .id();
        admin.put(CYCLES + '/' + id, object("ends_at", "2099-01-01T00:00:00.123456Z"))
                .isInvalid("/ends_at not_after_start");
        admin.put(CYCLES + '/' + id, object("ends_at", "2099-01-01T00:00:00.123457Z"))
                .is(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "today",
                "2099-01-01",
                "2099-01-01T00:00:00",
                "2099-01-01 00:00:00Z",
                "2099-01-01T00:00Z",
                "2099-13-01T00:00:00Z",
                "2099-02-29T00:00:00Z",
                "2099-01-01T24:00:00Z",
                "2099-01-01T00:00:60Z",
                "2099-01-01T00:00:00.Z",
                "2099-01-01T00:00:00+24:00",
                "2099-01-01T00:00:00+0100",
                "2099-01-01T00:00:00+01",
                "0000-12-31T23:59:59Z",
                "0001-01-01T00:00:00+00:01",
                "9999-12-31T23:59:59-00:01",
                "10000-01-01T00:00:00Z",
                "+2099-01-01T00:00:00Z",
                "-2099-01-01T00:00:00Z",
                "2099-01-01T00:00:00Z ",
                "2099-W01-1T00:00:00Z",
                "٢٠٩٩-01-01T00:00:00Z"
            })
    void anything_but_rfc_3339_is_no_timestamp(String text) {
        admin.post(CYCLES, with(CYCLE, "ends_at", text)).isInvalid("/ends_at invalid_format");
    }

    @Test
    void a_name_is_trimmed_and_has_1_to_250_code_points() {
        assertThat(admin.post(CYCLES, with(CYCLE, "name", " \t Q1\r\nof 2099 \n"))
                        .is(201)
                        .text("name"))
                .isEqualTo("Q1\nof 2099");
        var goals = "🎯".repeat(250);
        assertThat(admin.post(CYCLES, with(CYCLE, "name", goals)).is(201).text("name"))
                .isEqualTo(goals);
        admin.post(CYCLES, with(CYCLE, "name", goals + 'a')).isInvalid("/name too_long");
        admin.post(CYCLES, with(CYCLE, "name", "a".repeat(251))).isInvalid("/name too_long");
        admin.post(CYCLES, with(CYCLE, "name", "")).isInvalid("/name too_short");
        admin.post(CYCLES, with(CYCLE, "name", " \r\n\t ")).isInvalid("/name too_short");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\\u0000",
                "\\u0007",
                "\\u001b",
                "\\u007f",
                "\\u0085",
                "\\ud800",
                "\\udc00x",
                "\\r",
                "\\ud800\\ud800"
            })
    void control_characters_and_lone_surrogates_are_rejected(String escaped) {
        admin.post(CYCLES, """
                        {"name": "a%sb", "starts_at": "2099-01-01T00:00:00Z", "ends_at": "2099-04-01T00:00:00Z"}""".formatted(escaped)).isInvalid("/name invalid_characters");
    }

    @Test
    void a_put_changes_only_the_given_fields() {
        var created = admin.post(CYCLES, CYCLE);
        acme.backdate();
        var path = CYCLES + '/' + created.id();
        var changed = admin.put(path, object("name", "First quarter")).is(200);
        assertThat(changed.text("name")).isEqualTo("First quarter");
        assertThat(changed.text("starts_at")).isEqualTo("2099-01-01T00:00:00Z");
        assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
        assertThat(admin.get(path).data()).isEqualTo(changed.data());

        var moved = admin.put(path, object("starts_at", "2098-01-01T00:00:00Z", "ends_at", "2098-04-01T00:00:00Z"))
                .is(200);
        assertThat(moved.text("name")).isEqualTo("First quarter");
        assertThat(moved.text("starts_at")).isEqualTo("2098-01-01T00:00:00Z");
        assertThat(moved.text("ends_at")).isEqualTo("2098-04-01T00:00:00Z");
    }

    @Test
    void a_put_without_a_change_keeps_updated_at() {
        var path = CYCLES + '/' + admin.post(CYCLES, CYCLE).id();
        acme.backdate();
        var before = admin.get(path).data();
        assertThat(admin.put(path, object()).is(200).data()).isEqualTo(before);
        assertThat(admin.put(path, CYCLE).is(200).data()).isEqualTo(before);
        assertThat(admin.put(path, object("starts_at", "2099-01-01T02:00:00.0000009+02:00"))
                        .is(200)
                        .data())
                .isEqualTo(before);
    }

    @Test
    void a_put_of_the_shown_dates_keeps_their_fractions() {
        var created = admin.post(
                CYCLES, with(CYCLE, "starts_at", "2099-01-01T00:00:00.5Z", "ends_at", "2099-04-01T00:00:00.25Z"));
        var path = CYCLES + '/' + created.id();
        acme.backdate();
        var before = admin.get(path).data();
        var repeated = object("starts_at", "2099-01-01T00:00:00Z", "ends_at", "2099-04-01T00:00:00Z");
        assertThat(admin.put(path, repeated).is(200).data()).isEqualTo(before);
        // The start still has its fraction.
        admin.put(path, with(repeated, "ends_at", "2099-01-01T00:00:00.5Z")).isInvalid("/ends_at not_after_start");
        admin.put(path, with(repeated, "ends_at", "2099-01-01T00:00:00.6Z")).is(200);
    }

    @Test
    void a_put_is_validated_together_with_unchanged_fields() {
        var path = CYCLES + '/' + newCycle();
        admin.put(path, object("ends_at", "2099-01-01T00:00:00Z")).isInvalid("/ends_at not_after_start");
        assertThat(admin.put(path, object("starts_at", "2099-04-01T00:00:00Z"))
                        .isProblem(422, "validation_failed")
                        .json()
                        .get("errors"))
                .hasSize(1);
        admin.put(path, object("starts_at", "2100-01-01T00:00:00Z", "ends_at", "2100-01-02T00:00:00Z"))
                .is(200);
    }

    @Test
    void one_response_to_a_put_lists_all_invalid_fields() {
        var path = CYCLES + '/' + newCycle();
        admin.put(path, object("name", null, "starts_at", null, "ends_at", null))
                .isInvalid("/name not_nullable", "/starts_at not_nullable", "/ends_at not_nullable");
        admin.put(path, object("name", " ", "starts_at", "soon", "ends_at", 7, "status", "active", "id", "x"))
                .isInvalid(
                        "/name too_short",
                        "/starts_at invalid_format",
                        "/ends_at invalid_type",
                        "/status unknown_field",
                        "/id unknown_field");
    }

    @Test
    void an_unknown_cycle_is_not_found() {
        for (var id : StrangeIds.like(IdKind.CYCLE, newCycle())) {
            admin.get(CYCLES + '/' + id).isNotFound();
            admin.put(CYCLES + '/' + id, object("name", "x")).isNotFound();
        }
    }

    @Test
    void another_organisations_cycle_is_not_found() {
        var path = CYCLES + '/' + newCycle();
        var name = admin.get(path).text("name");
        var other = organization();
        other.admin().get(path).isNotFound();
        other.admin().put(path, object("name", "Mine")).isNotFound();
        assertThat(other.admin().get(CYCLES).is(200).ids()).isEmpty();
        assertThat(admin.get(path).text("name")).isEqualTo(name);
    }

    @Test
    void every_operation_needs_an_api_key() {
        var path = CYCLES + '/' + newCycle();
        stranger().get(CYCLES).isProblem(401, "unauthenticated");
        stranger().get(path).isProblem(401, "unauthenticated");
        stranger().post(CYCLES, CYCLE).isProblem(401, "unauthenticated");
        stranger().put(path, object()).isProblem(401, "unauthenticated");
    }

    @Test
    void only_an_admin_can_write_cycles() {
        var path = CYCLES + '/' + newCycle();
        member.post(CYCLES, CYCLE).isProblem(403, "forbidden");
        viewer.post(CYCLES, CYCLE).isProblem(403, "forbidden");
        member.put(path, object("name", "Mine")).isProblem(403, "forbidden");
        member.get(path).is(200);
        viewer.get(path).is(200);
    }

    @Test
    void the_list_is_newest_first_and_filtered_by_status() {
        var first = newCycle();
        var second = newCycle();
        TestDatabase.execute(
                "UPDATE cycle SET status = 'completed', starts_at = '2020-01-01Z', ends_at = '2020-02-01Z'"
                        + " WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.CYCLE.parse(first).orElseThrow());
        assertThat(viewer.get(CYCLES).is(200).ids()).containsExactly(second, first);
        assertThat(viewer.get(CYCLES + "?status=planned").is(200).ids()).containsExactly(second);
        assertThat(viewer.get(CYCLES + "?status=completed").is(200).ids()).containsExactly(first);
        assertThat(viewer.get(CYCLES + "?status=active").is(200).ids()).isEmpty();
    }

    @Test
    void the_list_is_filtered_by_the_exact_name() {
        var first = newCycle();
        newCycle();
        var name = viewer.get(CYCLES + '/' + first).text("name");
        var encoded = URLEncoder.encode(name, StandardCharsets.UTF_8);
        assertThat(viewer.get(CYCLES + "?name=" + encoded).is(200).ids()).containsExactly(first);
        assertThat(viewer.get(CYCLES + "?name=" + encoded.toUpperCase(Locale.ROOT))
                        .ids())
                .isEmpty();
        assertThat(viewer.get(CYCLES + "?name=%00").is(200).ids()).isEmpty();
        assertThat(organization().admin().get(CYCLES + "?name=" + encoded).ids())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status=",
                "status=Planned",
                "status=open",
                "status=planned&status=active",
                "title=Q1",
                "sort=name"
            })
    void an_unknown_filter_is_malformed(String query) {
        viewer.get(CYCLES + '?' + query).isMalformed();
    }

    @Test
    void a_cycle_counts_its_objectives_and_shows_their_mean_progress() {
        var cycle = newCycle();
        newObjective(newCycle());
        var first = newObjective(cycle);
        newObjective(cycle);
        newObjective(cycle);
        acme.backdate();
        var updatedAt = viewer.get(CYCLES + '/' + cycle).text("updated_at");
        newCheckIn(newKeyResult(first, 0, 10), 5);

        var read = viewer.get(CYCLES + '/' + cycle);
        assertThat(read.text()).contains("\"objectives_count\":3,\"overall_progress\":0.1667,");
        assertThat(read.text("updated_at")).isEqualTo(updatedAt);
        assertThat(viewer.get(CYCLES).data().get(1)).isEqualTo(read.data());
        assertThat(admin.put(CYCLES + '/' + cycle, object()).data()).isEqualTo(read.data());
    }

    @Test
    void malformed_json_is_reported_before_an_unknown_cycle_and_invalid_fields_after() {
        admin.put(CYCLES + "/cyc_nope", "{").isMalformed();
        admin.put(CYCLES + "/cyc_nope", object("name", 5)).isNotFound();
        admin.post(CYCLES, without(CYCLE, "name")).isInvalid("/name required");
    }
}
