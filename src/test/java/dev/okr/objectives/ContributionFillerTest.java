package dev.okr.objectives;

import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;

/** What the service does with rows of an earlier version. */
@QuarkusTest
class ContributionFillerTest extends HttpTest {
    @Inject
    ContributionFiller filler;

    @Test
    void alignments_of_an_earlier_version_begin_to_count() {
        var cycle = newCycle();
        var root = newObjective(cycle);
        var branch = newObjective(cycle);
        var leaf = newObjective(cycle);
        newCheckIn(newKeyResult(leaf, 0, 10), 4);
        contributeInAnEarlierVersion(root, branch);
        contributeInAnEarlierVersion(branch, leaf);
        assertThat(viewer.get("/v1/alignments").data().get(0).get("weight").intValue())
                .isOne();
        // The service runs this every ten seconds too. Then this call waits for it.
        filler.fill();
        requireProgress("0.4", root);
        requireProgress("0.4", branch);
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualByComparingTo("0.4");
    }

    @Test
    void progress_that_an_earlier_version_did_not_roll_up_is_corrected() {
        var cycle = newCycle();
        var root = newObjective(cycle);
        var leaf = newObjective(cycle);
        var keyResult = newKeyResult(leaf, 0, 10);
        member.post("/v1/alignments", with(Requests.alignment(root, leaf), "alignment_type", "contributes_to"))
                .is(201);
        TestDatabase.execute(
                "UPDATE key_result SET current_value = 5, progress = 0.5 WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.KEY_RESULT.require(keyResult));
        TestDatabase.execute(
                "UPDATE objective SET progress = 0.5 WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.OBJECTIVE.require(leaf));
        requireProgress("0", root);
        filler.correct();
        requireProgress("0.5", root);
        assertThat(viewer.get("/v1/cycles/" + cycle).number("overall_progress")).isEqualByComparingTo("0.5");
    }

    @Test
    void an_objective_of_a_closed_cycle_keeps_its_progress() {
        var closed = newCompletedCycle();
        var parent = newObjective(closed);
        var child = newObjective();
        newCheckIn(newKeyResult(child, 0, 10), 4);
        admin.post("/v1/cycles/" + closed + "/close", null).is(200);
        contributeInAnEarlierVersion(parent, child);
        filler.fill();
        filler.correct();
        requireProgress("0", parent);
        admin.post("/v1/cycles/" + closed + "/reopen", null).is(200);
        requireProgress("0.4", parent);
    }

    private void contributeInAnEarlierVersion(String parent, String child) {
        newAlignment(parent, child);
        TestDatabase.execute("""
                UPDATE alignment SET alignment_type = 'contributes_to', weight = NULL
                WHERE organization_id = ? AND parent_objective_id = ? AND child_objective_id = ?
                """, acme.id(), IdKind.OBJECTIVE.require(parent), IdKind.OBJECTIVE.require(child));
    }

    private void requireProgress(String expected, String objective) {
        assertThat(viewer.get(Paths.objective(objective)).number("progress")).isEqualByComparingTo(expected);
    }
}
