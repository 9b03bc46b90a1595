package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ids that resources have in other systems. */
@QuarkusTest
class ExternalIdTest extends HttpTest {
    private static final String VISIBLE = "!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~";

    private List<Kind> kinds;

    /**
     * A kind of resource.
     *
     * @param body a valid body of a POST
     * @param path the path of a resource by its id
     */
    private record Kind(String list, Map<String, Object> body, Function<String, String> path) {
        /** A valid body whose name, if it has one, no other resource has. */
        Map<String, Object> fresh() {
            return body.containsKey("name") ? with(body, "name", UUID.randomUUID()) : body;
        }
    }

    @BeforeEach
    void prepare() {
        var cycle = newCycle();
        var objective = newObjective(cycle);
        var keyResult = newKeyResult(objective, 0, 10);
        kinds = List.of(
                new Kind("/v1/cycles", Requests.cycle(), id -> "/v1/cycles/" + id),
                new Kind("/v1/objectives", Requests.objective(cycle), Paths::objective),
                new Kind(Paths.keyResults(objective), Requests.keyResult(0, 10), id -> Paths.keyResult(objective, id)),
                new Kind(Paths.checkIns(keyResult), Requests.checkIn(5), id -> Paths.checkIn(keyResult, id)));
    }

    @Test
    void a_resource_is_found_by_its_external_id() {
        for (var kind : kinds) {
            var created = admin.post(kind.list, with(kind.fresh(), "external_id", VISIBLE))
                    .is(201);
            assertThat(created.text("external_id")).isEqualTo(VISIBLE);
            admin.post(kind.list, kind.fresh()).is(201);
            assertThat(viewer.get(kind.list + "?external_id=%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F09%3A%3B%3C%3D%3E"
                                    + "%3F%40AZ%5B%5C%5D%5E_%60az%7B%7C%7D~")
                            .is(200)
                            .data())
                    .as(kind.list)
                    .containsExactly(created.data());
            assertThat(viewer.get(kind.list + "?external_id=x").ids()).isEmpty();
            assertThat(viewer.get(kind.list + "?external_id=").ids()).isEmpty();
            assertThat(viewer.get(kind.list + "?external_id=%C3%A9%00").ids()).isEmpty();
        }
    }

    @Test
    void it_is_unique_for_its_kind_within_the_organisation() {
        for (var kind : kinds) {
            var id = admin.post(kind.list, with(kind.fresh(), "external_id", "same"))
                    .is(201)
                    .id();
            assertThat(admin.post(kind.list, with(kind.fresh(), "external_id", "same"))
                            .isProblem(409, "conflict")
                            .detail())
                    .contains(id, "same");
            var other = admin.post(kind.list, kind.fresh()).is(201).id();
            assertThat(admin.put(kind.path.apply(other), object("external_id", "same"))
                            .isProblem(409, "conflict")
                            .detail())
                    .contains(id);
            admin.put(kind.path.apply(id), object("external_id", "same")).is(200);
        }
        var stranger = organization().admin();
        var cycle = stranger.post("/v1/cycles", with(Requests.cycle(), "external_id", "same"));
        var objective = stranger.post("/v1/objectives", with(Requests.objective(cycle.id()), "external_id", "same"));
        var keyResult =
                stranger.post(Paths.keyResults(objective.id()), with(Requests.keyResult(0, 1), "external_id", "same"));
        stranger.post(Paths.checkIns(keyResult.id()), with(Requests.checkIn(1), "external_id", "same"))
                .is(201);
    }

    /** An import finds resources by their external ids and by their ids. */
    @Test
    void it_cannot_be_an_id_of_the_same_kind() {
        for (var kind : kinds) {
            var id = admin.post(kind.list, kind.fresh()).is(201).id();
            var other = admin.post(kind.list, kind.fresh()).is(201).id();
            assertThat(admin.put(kind.path.apply(other), object("external_id", id))
                            .isProblem(409, "conflict")
                            .detail())
                    .contains(id);
            // The id can come back, because deleted objectives can be restored.
            admin.delete(kind.path.apply(id)).is(200);
            admin.post(kind.list, with(kind.fresh(), "external_id", id)).isProblem(409, "conflict");
        }
    }

    @Test
    void it_can_be_changed_and_cleared() {
        for (var kind : kinds) {
            var path = kind.path.apply(admin.post(kind.list, with(kind.fresh(), "external_id", "one"))
                    .is(201)
                    .id());
            acme.backdate();
            var changed = admin.put(path, object("external_id", "two")).is(200);
            assertThat(changed.text("external_id")).isEqualTo("two");
            assertThat(changed.text("updated_at")).isGreaterThan(changed.text("created_at"));
            assertThat(admin.put(path, object()).text("external_id")).isEqualTo("two");
            assertThat(admin.put(path, object("external_id", null))
                            .is(200)
                            .data()
                            .has("external_id"))
                    .isFalse();
            admin.post(kind.list, with(kind.fresh(), "external_id", "two")).is(201);
        }
    }

    @Test
    void it_has_1_to_255_visible_ascii_characters() {
        for (var kind : kinds) {
            admin.post(kind.list, with(kind.fresh(), "external_id", "a".repeat(255)))
                    .is(201);
            admin.post(kind.list, with(kind.fresh(), "external_id", null)).is(201);
            refused(kind, "a".repeat(256), "too_long");
            refused(kind, "", "too_short");
            for (var wrong : List.of(" ", "a b", "a\n", "é", "🎯", "\u007f", "\u0000")) {
                refused(kind, wrong, "invalid_characters");
            }
            refused(kind, 5, "invalid_type");
        }
    }

    private void refused(Kind kind, Object externalId, String code) {
        admin.post(kind.list, with(kind.fresh(), "external_id", externalId)).isInvalid("/external_id " + code);
        var id = admin.post(kind.list, kind.fresh()).is(201).id();
        admin.put(kind.path.apply(id), object("external_id", externalId)).isInvalid("/external_id " + code);
    }

    @Test
    void of_concurrent_requests_one_gets_it() throws Exception {
        for (var kind : kinds) {
            var answers = AtOnce.run(AtOnce.times(
                    8, () -> admin.post(kind.list, with(kind.fresh(), "external_id", "contended"))));
            assertThat(answers).extracting(Answer::status).containsOnlyOnce(201).containsOnly(201, 409);
            var winner = answers.stream()
                    .filter(answer -> answer.status() == 201)
                    .findFirst()
                    .orElseThrow();
            assertThat(answers)
                    .filteredOn(answer -> answer.status() == 409)
                    .allSatisfy(answer -> assertThat(answer.detail()).contains(winner.id()));
        }
    }

    @Test
    void a_deleted_resource_leaves_it_free() {
        var keyResult = kinds.get(2);
        var body = with(keyResult.fresh(), "external_id", "free");
        var id = admin.post(keyResult.list, body).is(201).id();
        admin.delete(keyResult.path.apply(id)).is(200);
        admin.post(keyResult.list, body).is(201);
    }

    @Test
    void teams_show_it_and_can_be_found_by_it() {
        var team = acme.team("Growth");
        acme.team("Platform");
        TestDatabase.execute("UPDATE team SET external_id = 'hr-7' WHERE id = ?", team.uuid());
        var list = viewer.get("/v1/teams?external_id=hr-7").is(200);
        assertThat(list.ids()).containsExactly(team.id());
        assertThat(list.data().get(0).get("external_id").textValue()).isEqualTo("hr-7");
        assertThat(viewer.get("/v1/teams/" + team.id()).text("external_id")).isEqualTo("hr-7");
        assertThat(organization().admin().get("/v1/teams?external_id=hr-7").ids())
                .isEmpty();
    }
}
