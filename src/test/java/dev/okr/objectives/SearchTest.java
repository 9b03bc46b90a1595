package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.http.Words;
import dev.okr.platform.ids.IdKind;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Events;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.net.URLEncoder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter {@code q} of objectives and key results. */
@QuarkusTest
class SearchTest extends HttpTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(50);

    private String cycle;

    @BeforeEach
    void createCycle() {
        cycle = newCycle();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "crème",
                "CREME",
                "crem",
                "brulee",
                "Brûlée",
                "sign",
                "up",
                "sign-up",
                "up sign",
                "creme straße",
                "STRASSE",
                "3",
                "half",
                "sécond HALF",
                "crème & brûlée",
                "'crème' | !!!",
                "c b s u",
                "crème:*",
                "crème 🚀"
            })
    void an_objective_is_found_by_the_beginnings_of_its_words(String q) {
        var found = newObjective("Crème brûlée: sign-up 3", "In the second half, Straße");
        newObjective("Something else", null);
        assertThat(find(viewer, q)).containsExactly(found);
        assertThat(viewer.get(path(q) + "&cursor=").is(200).ids()).containsExactly(found);
    }

    @ParameterizedTest
    @ValueSource(strings = {"reme", "crème missing", "econd", "brûlées", "4", "signup"})
    void every_word_must_match_the_beginning_of_a_word(String q) {
        newObjective("Crème brûlée: sign-up 3", "In the second half");
        assertThat(find(viewer, q)).isEmpty();
        assertThat(total(viewer.get(path(q)).is(200))).isZero();
    }

    @Test
    void words_follow_the_title_and_the_description() {
        var id = newObjective("Old title", "Old description");
        member.put(Paths.objective(id), object("title", "New title")).is(200);
        assertThat(find(viewer, "new")).containsExactly(id);
        assertThat(find(viewer, "old title")).containsExactly(id);
        member.put(Paths.objective(id), object("description", null)).is(200);
        assertThat(find(viewer, "old")).isEmpty();
        member.put(Paths.objective(id), object("status", "at_risk")).is(200);
        assertThat(find(viewer, "new")).containsExactly(id);
    }

    @Test
    void key_results_are_found_by_their_titles() {
        var objective = newObjective("Objective", "Description");
        var keyResult = newKeyResult(objective, 0, 10);
        newKeyResult(objective, 0, 10);
        var path = "/v1/key-results?q=";
        assertThat(total(viewer.get(path + "onboard").is(200))).isEqualTo(2);
        member.put("/v1/key-results/" + keyResult, object("title", "Répondre vite"))
                .is(200);
        newCheckIn(keyResult, 5);
        assertThat(viewer.get(path + "rep%20vite").is(200).ids()).containsExactly(keyResult);
        assertThat(viewer.get(path + "rep&objective_id=" + objective).is(200).ids())
                .containsExactly(keyResult);
        assertThat(viewer.get(path + "rep&cycle_id=" + newCycle()).is(200).ids())
                .isEmpty();
        member.delete("/v1/key-results/" + keyResult).is(200);
        assertThat(viewer.get(path + "rep").is(200).ids()).isEmpty();
    }

    @Test
    void deleted_objectives_are_found_again_when_they_are_restored() {
        var id = newObjective("Phoenix", "From the ashes");
        newKeyResult(id, 0, 10);
        member.delete(Paths.objective(id)).is(200);
        assertThat(find(viewer, "phoenix")).isEmpty();
        assertThat(viewer.get("/v1/key-results?q=onboarded").is(200).ids()).isEmpty();
        member.post("/v1/deleted-objectives/" + id + "/restore", null).is(201);
        assertThat(find(viewer, "phoenix ashes")).containsExactly(id);
        assertThat(viewer.get("/v1/key-results?q=onboarded").is(200).ids()).hasSize(1);
    }

    @Test
    void a_search_has_pages_cursors_a_total_and_every_order() {
        var ids = new ArrayList<String>();
        for (int i = 0; i < 7; i++) {
            ids.add(newObjective("Grow " + (char) ('g' - i), null));
            newObjective("Shrink", null);
        }
        assertThat(viewer.get(path("grow") + "&per_page=3&page=2").is(200).ids())
                .containsExactlyElementsOf(ids.reversed().subList(3, 6));
        assertThat(total(viewer.get(path("grow") + "&per_page=3&page=2"))).isEqualTo(7);
        var past = viewer.get(path("grow") + "&per_page=3&page=900").is(200);
        assertThat(past.ids()).isEmpty();
        assertThat(total(past)).isEqualTo(7);
        assertThat(Events.export(viewer, path("grow") + "&per_page=2"))
                .extracting(each -> each.get("id").textValue())
                .containsExactlyElementsOf(ids.reversed());
        assertThat(Events.export(viewer, path("grow") + "&per_page=2&sort=created_at&include=key_results"))
                .extracting(each -> each.get("id").textValue())
                .containsExactlyElementsOf(ids);
        assertThat(Events.export(viewer, path("grow") + "&per_page=2&sort=title"))
                .extracting(each -> each.get("id").textValue())
                .containsExactlyElementsOf(ids.reversed());
    }

    @Test
    void a_search_combines_with_other_filters() {
        var id = newObjective("Grow", null);
        cycle = newCycle();
        var other = newObjective("Grow", null);
        assertThat(find(viewer, "grow")).containsExactly(other, id);
        assertThat(viewer.get(path("grow") + "&cycle_id=" + cycle).is(200).ids())
                .containsExactly(other);
        assertThat(total(viewer.get(path("grow") + "&cycle_id=" + cycle + "&cursor=")))
                .isOne();
        assertThat(viewer.get(path("grow") + "&status=at_risk").is(200).ids()).isEmpty();
        assertThat(viewer.get(path("grow") + "&updated_since=2020-01-01T00:00:00Z&include=key_results")
                        .is(200)
                        .ids())
                .containsExactly(other, id);
    }

    @Test
    void words_that_very_many_objectives_have_combine_with_filters_and_orders() {
        var first = newObjective("Common a", null);
        insertObjectives(50_000, "common");
        cycle = newCycle();
        var other = newObjective("Common b", null);
        newObjective("Rare c", null);
        assertThat(total(viewer.get(path("common") + "&cursor=").is(200))).isEqualTo(50_002);
        var byTitle =
                viewer.get(path("common") + "&sort=title&per_page=2&cursor=").is(200);
        assertThat(byTitle.ids()).containsExactly(first, other);
        assertThat(total(byTitle)).isEqualTo(50_002);
        var ofCycle = viewer.get(path("common") + "&cycle_id=" + cycle).is(200);
        assertThat(ofCycle.ids()).containsExactly(other);
        assertThat(total(ofCycle)).isOne();
    }

    /** Inserts objectives with a title that sorts last. */
    private void insertObjectives(int count, String word) {
        TestDatabase.execute("SET session_replication_role = replica");
        TestDatabase.execute(
                """
                WITH added AS (
                    INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, created_at,
                        updated_at)
                    SELECT ?, gen_random_uuid(), 'z', ?, ?, 0, 'on_track', now(), now() FROM generate_series(1, ?)
                    RETURNING organization_id, id, created_at)
                INSERT INTO objective_words (organization_id, id, created_at, words)
                SELECT organization_id, id, created_at, ?::tsvector FROM added
                """,
                acme.id(),
                acme.memberUser().uuid(),
                IdKind.CYCLE.require(cycle),
                count,
                Words.of(word).vector(acme.id()));
        TestDatabase.execute("RESET session_replication_role");
    }

    @Test
    void another_organisation_finds_nothing() {
        newKeyResult(newObjective("Secret", null), 0, 10);
        var other = organization();
        assertThat(find(other.admin(), "secret")).isEmpty();
        assertThat(total(other.admin().get(path("secret")))).isZero();
        assertThat(total(viewer.get("/v1/key-results?q=onboarded"))).isOne();
        assertThat(other.admin().get("/v1/key-results?q=onboarded").is(200).ids())
                .isEmpty();
        assertThat(total(other.admin().get("/v1/key-results?q=onboarded"))).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "🚀", "& | ! :* ( ) ' \" \\", "%_", "\u0000", "a b c d e f g h i"})
    void a_text_without_words_or_with_too_many_is_refused(String q) {
        assertThat(viewer.get(path(q)).isProblem(400, "malformed_request").detail())
                .contains("q must be 1 to 8 words");
        viewer.get("/v1/key-results?q=" + URLEncoder.encode(q, UTF_8)).isProblem(400, "malformed_request");
    }

    @Test
    void long_words_and_a_thousand_words_are_refused() {
        viewer.get(path("x".repeat(64))).is(200);
        viewer.get(path("x".repeat(65))).isProblem(400, "malformed_request");
        viewer.get(path("w ".repeat(1_000))).isProblem(400, "malformed_request");
    }

    @Test
    @DisabledIfSystemProperty(named = "okr.test.citus", matches = "true", disabledReason = "has no triggers")
    void what_the_previous_version_writes_is_found_soon() {
        var id = UUID.randomUUID();
        TestDatabase.execute("""
                INSERT INTO objective (organization_id, id, title, owner_id, cycle_id, progress, status, created_at,
                    updated_at)
                VALUES (?, ?, 'Früher', ?, ?, 0, 'on_track', now(), now())
                """, acme.id(), id, acme.memberUser().uuid(), IdKind.CYCLE.require(cycle));
        var publicId = IdKind.OBJECTIVE.format(id);
        await("fruher", publicId);
        TestDatabase.execute("UPDATE objective SET title = 'Später' WHERE id = ?", id);
        await("spater", publicId);
        assertThat(find(viewer, "fruher")).isEmpty();
    }

    private void await(String q, String id) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!find(viewer, q).equals(List.of(id))) {
            assertThat(Instant.now()).isBefore(deadline);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    private String newObjective(String title, String description) {
        var body = Requests.with(Requests.objective(cycle), "title", title, "description", description);
        return member.post("/v1/objectives", body).is(201).id();
    }

    private static List<String> find(Api api, String q) {
        return api.get(path(q)).is(200).ids();
    }

    private static int total(Answer answer) {
        return answer.meta().get("total").intValue();
    }

    private static String path(String q) {
        return "/v1/objectives?q=" + URLEncoder.encode(q, UTF_8);
    }
}
