package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.StrangeIds;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QuarkusTest
class AlignmentTest extends HttpTest {
    private static final String ALIGNMENTS = "/v1/alignments";

    @Test
    void the_default_type_of_an_alignment_is_supports() {
        var parent = newObjective();
        var child = newObjective();
        var created = member.post(ALIGNMENTS, Requests.alignment(parent, child)).is(201);
        assertThat(created.header("Location")).hasValue(ALIGNMENTS + '/' + created.id());
        assertThat(created.id()).matches("align_[0-7][0-9a-hjkmnp-tv-z]{25}");
        assertThat(created.text()).startsWith("""
                        {"data":{"id":"%s","parent_objective_id":"%s","child_objective_id":"%s",\
                        "alignment_type":"supports","weight":1,"created_at":"%s\"""".formatted(created.id(), parent, child, created.text("created_at")));
        assertThat(viewer.get(ALIGNMENTS).is(200).data().get(0)).isEqualTo(created.data());
    }

    @ParameterizedTest
    @ValueSource(strings = {"supports", "contributes_to"})
    void an_alignment_can_have_either_type(String type) {
        var body = with(Requests.alignment(newObjective(), newObjective()), "alignment_type", type);
        assertThat(member.post(ALIGNMENTS, body).is(201).text("alignment_type")).isEqualTo(type);
    }

    @Test
    void one_response_lists_all_invalid_fields() {
        member.post(ALIGNMENTS, object()).isInvalid("/parent_objective_id required", "/child_objective_id required");
        member.post(
                        ALIGNMENTS,
                        object("parent_objective_id", null, "child_objective_id", 5, "alignment_type", "blocks"))
                .isInvalid(
                        "/parent_objective_id not_nullable",
                        "/child_objective_id invalid_type",
                        "/alignment_type invalid_value");
        member.post(
                        ALIGNMENTS,
                        object("parent_objective_id", "x", "child_objective_id", "y", "alignment_type", 1, "note", "z"))
                .isInvalid(
                        "/parent_objective_id unknown_reference",
                        "/child_objective_id unknown_reference",
                        "/alignment_type invalid_type",
                        "/note unknown_field");
    }

    @Test
    void the_objectives_must_be_of_the_same_organisation() {
        var objective = newObjective();
        var cycle = organization().admin().post("/v1/cycles", Requests.cycle());
        assertThat(cycle.status()).isEqualTo(201);
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, objective)) {
            member.post(ALIGNMENTS, Requests.alignment(id, objective))
                    .isInvalid("/parent_objective_id unknown_reference");
            member.post(ALIGNMENTS, Requests.alignment(objective, id))
                    .isInvalid("/child_objective_id unknown_reference");
        }
        var other = organization().admin();
        var othersObjective = other.post(
                        "/v1/objectives",
                        Requests.objective(
                                other.post("/v1/cycles", Requests.cycle()).id()))
                .id();
        member.post(ALIGNMENTS, Requests.alignment(othersObjective, objective))
                .isInvalid("/parent_objective_id unknown_reference");
        member.post(ALIGNMENTS, Requests.alignment(objective, othersObjective))
                .isInvalid("/child_objective_id unknown_reference");
    }

    @Test
    void an_objective_cannot_be_aligned_with_itself() {
        var objective = newObjective();
        member.post(ALIGNMENTS, Requests.alignment(objective, objective))
                .isInvalid("/child_objective_id equals_parent");
    }

    @Test
    void the_same_pair_cannot_be_aligned_twice() {
        var parent = newObjective();
        var child = newObjective();
        newAlignment(parent, child);
        member.post(ALIGNMENTS, Requests.alignment(parent, child)).isProblem(409, "conflict");
        member.post(ALIGNMENTS, with(Requests.alignment(parent, child), "alignment_type", "contributes_to"))
                .isProblem(409, "conflict");
        assertThat(viewer.get(ALIGNMENTS).ids()).hasSize(1);
    }

    @Test
    void a_loop_of_two_is_rejected_and_the_error_names_it() {
        var parent = newObjective();
        var child = newObjective();
        newAlignment(parent, child);
        assertThat(member.post(ALIGNMENTS, Requests.alignment(child, parent))
                        .isProblem(409, "conflict")
                        .detail())
                .contains(parent + " → " + child + " → " + parent);
    }

    @Test
    void a_long_loop_is_rejected_and_the_error_names_it() {
        var chain = new ArrayList<String>();
        for (int i = 0; i < 6; i++) {
            chain.add(newObjective());
            if (i > 0) {
                newAlignment(chain.get(i - 1), chain.get(i));
            }
        }
        // Other alignments that close no loop.
        newAlignment(newObjective(), chain.get(3));
        newAlignment(chain.get(0), chain.get(5));
        var detail = member.post(ALIGNMENTS, Requests.alignment(chain.get(5), chain.get(1)))
                .isProblem(409, "conflict")
                .detail();
        chain.subList(1, 6).forEach(objective -> assertThat(detail).contains(objective));
        assertThat(detail).doesNotContain(chain.get(0));
        newAlignment(chain.get(0), chain.get(3));
    }

    @Test
    void an_objective_can_have_many_parents_and_children() {
        var a = newObjective();
        var b = newObjective();
        var c = newObjective();
        var d = newObjective();
        newAlignment(a, b);
        newAlignment(a, c);
        newAlignment(b, d);
        newAlignment(c, d);
        newAlignment(a, d);
        assertThat(viewer.get(ALIGNMENTS).is(200).ids()).hasSize(5);
    }

    @Test
    void the_list_is_newest_first_and_its_filter_matches_parent_and_child() {
        var a = newObjective();
        var b = newObjective();
        var c = newObjective();
        var ab = newAlignment(a, b);
        var bc = newAlignment(b, c);
        assertThat(list("")).containsExactly(bc, ab);
        assertThat(list("?objective_id=" + a)).containsExactly(ab);
        assertThat(list("?objective_id=" + b)).containsExactly(bc, ab);
        assertThat(list("?objective_id=" + c)).containsExactly(bc);
        assertThat(viewer.get(ALIGNMENTS + "?objective_id=" + b + "&per_page=1")
                        .meta()
                        .toString())
                .isEqualTo("{\"page\":1,\"per_page\":1,\"total\":2}");
        for (var id : StrangeIds.like(IdKind.OBJECTIVE, a)) {
            assertThat(list("?objective_id=" + id)).isEmpty();
        }
        viewer.get(ALIGNMENTS + "?parent_objective_id=" + a).isMalformed();
    }

    @Test
    void any_member_can_delete_an_alignment() {
        var id = newAlignment(newObjective(), newObjective());
        viewer.delete(ALIGNMENTS + '/' + id).isProblem(403, "forbidden");
        var deleted = acme.user("Mary Jackson", "member")
                .api()
                .delete(ALIGNMENTS + '/' + id)
                .is(200);
        assertThat(deleted.text()).isEqualTo("{\"data\":{\"id\":\"" + id + "\",\"deleted\":true}}");
        member.delete(ALIGNMENTS + '/' + id).isNotFound();
        assertThat(list("")).isEmpty();
    }

    @Test
    void a_deleted_alignment_does_not_close_a_loop() {
        var a = newObjective();
        var b = newObjective();
        member.delete(ALIGNMENTS + '/' + newAlignment(a, b)).is(200);
        newAlignment(b, a);
    }

    @Test
    void an_unknown_or_another_organisations_alignment_is_not_found() {
        var id = newAlignment(newObjective(), newObjective());
        for (var strange : StrangeIds.like(IdKind.ALIGNMENT, id)) {
            member.delete(ALIGNMENTS + '/' + strange).isNotFound();
        }
        var other = organization().admin();
        other.delete(ALIGNMENTS + '/' + id).isNotFound();
        assertThat(other.get(ALIGNMENTS).is(200).ids()).isEmpty();
        assertThat(list("")).containsExactly(id);
    }

    @Test
    void every_operation_needs_an_api_key() {
        var id = newAlignment(newObjective(), newObjective());
        stranger().get(ALIGNMENTS).isProblem(401, "unauthenticated");
        stranger().post(ALIGNMENTS, object()).isProblem(401, "unauthenticated");
        stranger().delete(ALIGNMENTS + '/' + id).isProblem(401, "unauthenticated");
    }

    @Test
    void a_viewer_cannot_create_an_alignment() {
        viewer.get(ALIGNMENTS).is(200);
        viewer.post(ALIGNMENTS, Requests.alignment(newObjective(), newObjective()))
                .isProblem(403, "forbidden");
    }

    @Test
    void there_is_no_operation_to_read_one_alignment() {
        var path = ALIGNMENTS + '/' + newAlignment(newObjective(), newObjective());
        assertThat(member.get(path).isProblem(405, "method_not_allowed").header("Allow"))
                .hasValue("DELETE, PATCH, PUT");
    }

    private List<String> list(String query) {
        return viewer.get(ALIGNMENTS + query).is(200).ids();
    }
}
