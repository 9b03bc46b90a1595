package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class ObjectiveTest extends HttpTest {
    private static final String OBJECTIVES = "/v1/objectives";

    @Test
    void a_new_objective_belongs_to_the_caller_and_is_not_started() {
        var cycle = newCycle();
        var created = member.post(OBJECTIVES, object("title", "Grow", "cycle_id", cycle))
                .is(201);
        assertThat(created.header("Location")).hasValue("/v1/objectives/" + created.id());
        assertThat(created.id()).matches("obj_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(created.text())
                .isEqualTo("""
                        {"data":{"id":"%s","title":"Grow","owner_id":"%s","cycle_id":"%s","progress":0,\
                        "status":"not_started","created_at":"%s","updated_at":"%4$s"}}""".formatted(created.id(), acme.memberUser().id(), cycle, created.text("created_at")));
    }

    @Test
    void an_objective_is_created_with_all_fields() {
        var team = acme.team("Growth");
        var body = object(
                "title", "Grow",
                "description", " Line one\r\nLine two ",
                "cycle_id", newCycle(),
                "team_id", team.id(),
                "owner_id", acme.viewerUser().id());
        var created = member.post(OBJECTIVES, body).is(201);
        assertThat(created.text("description")).isEqualTo("Line one\nLine two");
        assertThat(created.text("team_id")).isEqualTo(team.id());
        assertThat(created.text("owner_id")).isEqualTo(acme.viewerUser().id());
    }

    @Test
    void null_equals_an_absent_optional_field() {
        var body = with(Requests.objective(newCycle()), "description", null, "team_id", null, "owner_id", null);
        var created = member.post(OBJECTIVES, body).is(201).data();
        assertThat(created.has("description")).isFalse();
        assertThat(created.has("team_id")).isFalse();
        assertThat(created.get("owner_id").textValue())
                .isEqualTo(acme.memberUser().id());
    }

    @Test
    void an_objective_looks_the_same_wherever_it_is_shown() {
        var body = with(
                Requests.objective(newCycle()),
                "description",
                "Why",
                "team_id",
                acme.team("Growth").id());
        var created = member.post(OBJECTIVES, body).is(201).data();
        var path = Paths.objective(created.get("id").textValue());
        assertThat(viewer.get(OBJECTIVES).is(200).data().get(0)).isEqualTo(created);
        assertThat(member.put(path, object()).is(200).data()).isEqualTo(created);
        ObjectNode read = viewer.get(path).is(200).data().deepCopy();
        assertThat(read.remove("key_results")).isEmpty();
        assertThat(read).isEqualTo(created);
    }

    @Test
    void the_single_read_shows_the_key_results_newest_first() {
        var objective = newObjective();
        var first = newKeyResult(objective, 0, 10);
        var second = newKeyResult(objective, new BigDecimal("2.50"), 0);
        newCheckIn(first, 5);
        var read = viewer.get(Paths.objective(objective)).is(200);
        assertThat(read.text()).contains("""
                        "key_results":[\
                        {"id":"%s","title":"Onboarded customers","current_value":2.5,"target_value":0,"progress":0},\
                        {"id":"%s","title":"Onboarded customers","current_value":5,"target_value":10,"progress":0.5}]""".formatted(second, first));
    }

    @Test
    void the_single_read_shows_at_most_the_newest_100_key_results() {
        var objective = newObjective();
        var ids = new ArrayList<String>();
        for (int i = 0; i < 100; i++) {
            ids.addFirst(newKeyResult(objective, 0, 10));
        }
        // Older than the limit of 100.
        TestDatabase.execute("""
                INSERT INTO key_result (organization_id, id, objective_id, title, metric_type, start_value, current_value,
                    target_value, progress, owner_id, created_at, updated_at)
                SELECT organization_id, gen_random_uuid(), objective_id, title, metric_type, start_value, current_value,
                    target_value, progress, owner_id, created_at - interval '1 day', updated_at
                FROM key_result WHERE organization_id = ? ORDER BY created_at LIMIT 1
                """, acme.id());
        var shown = viewer.get(Paths.objective(objective)).data().get("key_results");
        assertThat(shown.findValuesAsText("id")).isEqualTo(ids);
        assertThat(viewer.get(Paths.keyResults(objective) + "?per_page=1")
                        .meta()
                        .get("total")
                        .intValue())
                .isEqualTo(101);
    }

    @Test
    void one_response_lists_all_invalid_fields() {
        member.post(OBJECTIVES, object()).isInvalid("/title required", "/cycle_id required");
        member.post(OBJECTIVES, object("title", null, "cycle_id", null))
                .isInvalid("/title not_nullable", "/cycle_id not_nullable");
        member.post(
                        OBJECTIVES,
                        object(
                                "title",
                                1,
                                "description",
                                true,
                                "cycle_id",
                                2,
                                "team_id",
                                new int[0],
                                "owner_id",
                                object(),
                                "status",
                                "on_track",
                                "progress",
                                1,
                                "a/b~c",
                                0))
                .isInvalid(
                        "/title invalid_type",
                        "/description invalid_type",
                        "/cycle_id invalid_type",
                        "/team_id invalid_type",
                        "/owner_id invalid_type",
                        "/status unknown_field",
                        "/progress unknown_field",
                        "/a~1b~0c unknown_field");
    }

    @Test
    void a_description_has_up_to_4096_code_points_and_may_be_empty() {
        var objective = Requests.objective(newCycle());
        member.post(OBJECTIVES, with(objective, "description", "🎯".repeat(4096)))
                .is(201);
        member.post(OBJECTIVES, with(objective, "description", "🎯".repeat(4097)))
                .isInvalid("/description too_long");
        member.post(OBJECTIVES, with(objective, "description", "a\u0000")).isInvalid("/description invalid_characters");
        member.post(OBJECTIVES, with(objective, "description", "a\n\tb")).is(201);
        member.post(OBJECTIVES, with(objective, "title", "a".repeat(250))).is(201);
        member.post(OBJECTIVES, with(objective, "title", "a".repeat(251))).isInvalid("/title too_long");
        member.post(OBJECTIVES, with(objective, "title", "\n")).isInvalid("/title too_short");
    }

    @Test
    void references_must_be_of_the_right_kind_and_of_the_same_organisation() {
        var other = organization();
        var othersCycle = other.admin().post("/v1/cycles", Requests.cycle()).id();
        var cycle = newCycle();
        for (var wrong : new String[][] {
            {othersCycle, other.team("Theirs").id(), other.memberUser().id()},
            {acme.memberUser().id(), cycle, acme.team("Ours").id()},
            {IdKind.CYCLE.format(newId()), IdKind.TEAM.format(newId()), IdKind.USER.format(newId())},
            {"", "team_", "usr_\u00e9"},
            {cycle + " ", "TEAM", acme.id().toString()}
        }) {
            member.post(
                            OBJECTIVES,
                            object("title", "x", "cycle_id", wrong[0], "team_id", wrong[1], "owner_id", wrong[2]))
                    .isInvalid(
                            "/cycle_id unknown_reference", "/team_id unknown_reference", "/owner_id unknown_reference");
            member.put(
                            Paths.objective(newObjective(cycle)),
                            object("cycle_id", wrong[0], "team_id", wrong[1], "owner_id", wrong[2]))
                    .isInvalid(
                            "/cycle_id unknown_reference", "/team_id unknown_reference", "/owner_id unknown_reference");
        }
    }

    @Test
    void a_put_changes_all_given_fields() {
        var path = Paths.objective(newObjective());
        acme.backdate();
        var cycle = newCycle();
        var team = acme.team("Growth");
        var changed = member.put(
                        path,
                        object(
                                "title",
                                "Shrink",
                                "description",
                                "Why not",
                                "status",
                                "at_risk",
                                "owner_id",
                                acme.adminUser().id(),
                                "cycle_id",
                                cycle,
                                "team_id",
                                team.id()))
                .is(200);
        assertThat(changed.text("title")).isEqualTo("Shrink");
        assertThat(changed.text("description")).isEqualTo("Why not");
        assertThat(changed.text("status")).isEqualTo("at_risk");
        assertThat(changed.text("owner_id")).isEqualTo(acme.adminUser().id());
        assertThat(changed.text("cycle_id")).isEqualTo(cycle);
        assertThat(changed.text("team_id")).isEqualTo(team.id());
        assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
        assertThat(changed.data().has("key_results")).isFalse();
        assertThat(member.get(OBJECTIVES).data().get(0)).isEqualTo(changed.data());
    }

    @Test
    void null_in_a_put_clears_only_optional_fields() {
        var body = with(
                Requests.objective(newCycle()),
                "description",
                "Why",
                "team_id",
                acme.team("Growth").id());
        var path = Paths.objective(member.post(OBJECTIVES, body).id());
        var cleared = member.put(path, object("description", null, "team_id", null))
                .is(200)
                .data();
        assertThat(cleared.has("description")).isFalse();
        assertThat(cleared.has("team_id")).isFalse();
        member.put(path, object("title", null, "status", null, "owner_id", null, "cycle_id", null))
                .isInvalid(
                        "/title not_nullable",
                        "/status not_nullable",
                        "/owner_id not_nullable",
                        "/cycle_id not_nullable");
    }

    @Test
    void only_admins_the_owner_and_leads_of_the_team_change_owner_and_team() {
        var stranger = acme.user("Mallory", "member");
        var lead = acme.user("Margaret Hamilton", "member");
        var team = acme.team("Flight");
        var newTeam = acme.team("Ground");
        acme.join(team, lead, "lead");
        acme.join(newTeam, stranger, "lead");
        var body = with(Requests.objective(newCycle()), "team_id", team.id());
        var path = OBJECTIVES + "/" + member.post(OBJECTIVES, body).is(201).id();

        stranger.api().put(path, object("title", "Theirs")).is(200);
        for (var change :
                List.of(object("owner_id", stranger.id()), object("team_id", newTeam.id()), object("team_id", null))) {
            stranger.api().put(path, change).isProblem(403, "forbidden");
        }
        stranger.api().delete(path).isProblem(403, "forbidden");

        lead.api().put(path, object("owner_id", acme.adminUser().id())).is(200);
        member.put(path, object("owner_id", acme.memberUser().id())).isProblem(403, "forbidden");
        admin.put(path, object("owner_id", acme.memberUser().id())).is(200);
        member.put(path, object("team_id", newTeam.id())).is(200);
        lead.api().put(path, object("team_id", team.id())).isProblem(403, "forbidden");
    }

    @Test
    void a_put_without_a_change_keeps_updated_at() {
        var body = with(
                Requests.objective(newCycle()),
                "description",
                "Why",
                "team_id",
                acme.team("Growth").id());
        var path = Paths.objective(member.post(OBJECTIVES, body).id());
        acme.backdate();
        var before = member.get(OBJECTIVES).data().get(0);
        assertThat(member.put(path, object()).is(200).data()).isEqualTo(before);
        assertThat(member.put(path, with(body, "status", "not_started", "title", "  " + body.get("title")))
                        .is(200)
                        .data())
                .isEqualTo(before);
        var bare = Paths.objective(newObjective());
        acme.backdate();
        assertThat(member.put(bare, object("description", null, "team_id", null))
                        .text("updated_at"))
                .isEqualTo(member.get(bare).text("created_at"));
    }

    @Test
    void one_response_to_a_put_lists_all_invalid_fields() {
        member.put(
                        Paths.objective(newObjective()),
                        object("title", "", "description", 1, "status", "done", "progress", 1, "created_at", "x"))
                .isInvalid(
                        "/title too_short",
                        "/description invalid_type",
                        "/status invalid_value",
                        "/progress unknown_field",
                        "/created_at unknown_field");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not_started", "on_track", "at_risk", "behind", "completed"})
    void any_status_may_follow_any_other(String status) {
        var path = Paths.objective(newObjective());
        for (var next : new String[] {status, "completed", "not_started", status}) {
            assertThat(member.put(path, object("status", next)).is(200).text("status"))
                    .isEqualTo(next);
        }
        assertThat(viewer.get(OBJECTIVES + "?status=" + status).is(200).ids()).hasSize(1);
    }

    @Test
    void progress_never_changes_the_status() {
        var objective = newObjective();
        newCheckIn(newKeyResult(objective, 0, 1), 1);
        var read = viewer.get(Paths.objective(objective));
        assertThat(read.text()).contains("\"progress\":1,");
        assertThat(read.text("status")).isEqualTo("not_started");
    }

    @Test
    void deleting_an_objective_deletes_its_key_results_check_ins_and_alignments() {
        var objective = newObjective();
        var parent = newObjective();
        var child = newObjective();
        newCheckIn(newKeyResult(objective, 0, 10), 5);
        newCheckIn(newKeyResult(objective, 0, 10), 5);
        newAlignment(parent, objective);
        newAlignment(objective, child);
        var kept = newAlignment(parent, child);

        var deleted = member.delete(Paths.objective(objective)).is(200);
        assertThat(deleted.text()).isEqualTo("{\"data\":{\"id\":\"" + objective + "\",\"deleted\":true}}");
        member.get(Paths.objective(objective)).isNotFound();
        member.get(Paths.keyResults(objective)).isNotFound();
        member.delete(Paths.objective(objective)).isNotFound();
        assertThat(viewer.get("/v1/alignments").ids()).containsExactly(kept);
        assertThat(TestDatabase.count("SELECT count(*) FROM key_result WHERE organization_id = ?", acme.id()))
                .isZero();
        assertThat(TestDatabase.count("SELECT count(*) FROM check_in WHERE organization_id = ?", acme.id()))
                .isZero();
    }

    @Test
    void only_the_owner_a_lead_of_its_team_or_an_admin_deletes_an_objective() {
        var team = acme.team("Growth");
        var lead = acme.user("Katherine Johnson", "member");
        var teammate = acme.user("Mary Jackson", "member");
        var leadElsewhere = acme.user("Dorothy Vaughan", "member");
        var viewingLead = acme.user("Annie Easley", "viewer");
        acme.join(team, lead, "lead");
        acme.join(team, teammate, "member");
        acme.join(team, viewingLead, "lead");
        acme.join(acme.team("Research"), leadElsewhere, "lead");
        var body = with(Requests.objective(newCycle()), "team_id", team.id());

        var byLead = Paths.objective(member.post(OBJECTIVES, body).id());
        teammate.api().delete(byLead).isProblem(403, "forbidden");
        leadElsewhere.api().delete(byLead).isProblem(403, "forbidden");
        viewingLead.api().delete(byLead).isProblem(403, "forbidden");
        viewer.delete(byLead).isProblem(403, "forbidden");
        lead.api().delete(byLead).is(200);

        member.delete(Paths.objective(member.post(OBJECTIVES, body).id())).is(200);
        admin.delete(Paths.objective(member.post(OBJECTIVES, body).id())).is(200);

        var withoutTeam = Paths.objective(newObjective());
        lead.api().delete(withoutTeam).isProblem(403, "forbidden");
        var ofAViewer =
                member.post(OBJECTIVES, with(body, "owner_id", acme.viewerUser().id()));
        viewer.delete(Paths.objective(ofAViewer.id())).isProblem(403, "forbidden");
    }

    @Test
    void any_member_can_change_any_objective_but_a_viewer_cannot() {
        var path = Paths.objective(newObjective());
        acme.user("Mary Jackson", "member")
                .api()
                .put(path, object("title", "Shared"))
                .is(200);
        viewer.put(path, object("title", "Mine")).isProblem(403, "forbidden");
        viewer.post(OBJECTIVES, Requests.objective(newCycle())).isProblem(403, "forbidden");
    }

    @Test
    void objectives_of_a_completed_cycle_can_still_be_changed() {
        var cycle = newCycle();
        TestDatabase.execute(
                "UPDATE cycle SET status = 'completed', starts_at = '2020-01-01Z', ends_at = '2020-02-01Z'"
                        + " WHERE organization_id = ?",
                acme.id());
        var objective = newObjective(cycle);
        member.put(Paths.objective(objective), object("status", "completed")).is(200);
        newCheckIn(newKeyResult(objective, 0, 1), 1);
    }

    @Test
    void an_unknown_objective_is_not_found() {
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, newObjective())) {
            member.get(Paths.objective(id)).isNotFound();
            member.put(Paths.objective(id), object("title", 5)).isNotFound();
            member.delete(Paths.objective(id)).isNotFound();
        }
    }

    @Test
    void another_organisations_objective_is_not_found() {
        var path = Paths.objective(newObjective());
        var other = organization().admin();
        other.get(path).isNotFound();
        other.put(path, object("title", "Mine")).isNotFound();
        other.delete(path).isNotFound();
        assertThat(other.get(OBJECTIVES).is(200).ids()).isEmpty();
        assertThat(viewer.get(path).text("title")).isEqualTo("Win the trust of mid-sized customers");
    }

    @Test
    void every_operation_needs_an_api_key() {
        var path = Paths.objective(newObjective());
        stranger().get(OBJECTIVES).isProblem(401, "unauthenticated");
        stranger().post(OBJECTIVES, object()).isProblem(401, "unauthenticated");
        stranger().get(path).isProblem(401, "unauthenticated");
        stranger().put(path, object()).isProblem(401, "unauthenticated");
        stranger().delete(path).isProblem(401, "unauthenticated");
    }

    @Test
    void the_list_is_newest_first_and_filtered_by_cycle_team_owner_and_status() {
        var cycle = newCycle();
        var team = acme.team("Growth").id();
        var plain = newObjective();
        var inCycle = newObjective(cycle);
        var ofTeam = member.post(OBJECTIVES, with(Requests.objective(cycle), "team_id", team))
                .id();
        var ofAdmin = admin.post(OBJECTIVES, Requests.objective(cycle)).id();
        member.put(Paths.objective(ofAdmin), object("status", "behind")).is(200);

        assertThat(list("")).containsExactly(ofAdmin, ofTeam, inCycle, plain);
        assertThat(list("?cycle_id=" + cycle)).containsExactly(ofAdmin, ofTeam, inCycle);
        assertThat(list("?team_id=" + team)).containsExactly(ofTeam);
        assertThat(list("?owner_id=" + acme.adminUser().id())).containsExactly(ofAdmin);
        assertThat(list("?status=behind")).containsExactly(ofAdmin);
        assertThat(list("?status=not_started&cycle_id=" + cycle)).containsExactly(ofTeam, inCycle);
        assertThat(list("?team_id=" + team + "&owner_id=" + acme.adminUser().id()))
                .isEmpty();
    }

    @Test
    void a_filter_by_an_unknown_id_returns_an_empty_list() {
        var cycle = newCycle();
        newObjective(cycle);
        for (var id : StrangeIds.like(IdKind.CYCLE, cycle)) {
            assertThat(list("?cycle_id=" + id)).isEmpty();
        }
        assertThat(list("?cycle_id=")).isEmpty();
        assertThat(list("?team_id=" + cycle)).isEmpty();
        assertThat(list("?owner_id=" + cycle)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"status=done", "status=", "title=x", "cycle=x", "cycle_id=a&cycle_id=b", "CYCLE_ID=a"})
    void an_unknown_filter_is_malformed(String query) {
        viewer.get(OBJECTIVES + '?' + query).isMalformed();
    }

    private List<String> list(String query) {
        var page = viewer.get(OBJECTIVES + query).is(200);
        assertThat(page.meta().get("total").intValue()).isEqualTo(page.ids().size());
        return page.ids();
    }

    private static UUID newId() {
        return UuidV7.at(Instant.now());
    }
}
