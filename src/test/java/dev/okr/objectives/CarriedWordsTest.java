package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** Resources of an earlier version have no words until {@link WordFiller} adds them. */
@QuarkusTest
class CarriedWordsTest extends HttpTest {
    @Inject
    WordFiller words;

    @Test
    void copies_of_resources_without_words_are_found_later() {
        var from = cycle();
        var to = cycle();
        var objective =
                member.post("/v1/objectives", Requests.objective(from)).is(201).id();
        var keyResult = member.post(Paths.keyResults(objective), Requests.keyResult(10, 20))
                .is(201)
                .id();
        TestDatabase.execute(
                "UPDATE objective_words SET words = NULL WHERE id = ?", IdKind.OBJECTIVE.require(objective));
        TestDatabase.execute(
                "UPDATE key_result_words SET words = NULL WHERE id = ?", IdKind.KEY_RESULT.require(keyResult));

        admin.post("/v1/cycles/%s/carry-over".formatted(from), object("to", to, "values", "keep"))
                .is(201);
        words.fill();

        assertThat(viewer.get("/v1/objectives?q=trust&cycle_id=" + to).ids()).hasSize(1);
        assertThat(viewer.get("/v1/key-results?q=onboarded&cycle_id=" + to).ids())
                .hasSize(1);
    }

    private String cycle() {
        return admin.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
    }
}
