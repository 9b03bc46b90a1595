package dev.okr.objectives;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Paths;
import dev.okr.testing.RecordedStatements;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The SQL statements of check-ins and of changes to objectives. Roll-up must cost nothing for objectives without
 * contributing alignments.
 */
@QuarkusTest
class StatementsOfChangesTest extends HttpTest {

    private RecordedStatements recorded;

    @BeforeEach
    void record() {
        recorded = new RecordedStatements();
    }

    @AfterEach
    void stop() {
        recorded.close();
    }

    @Test
    void a_check_in_without_contributing_alignments_has_two_round_trips() {
        var objective = newObjective();
        var keyResult = newKeyResult(objective, 0, 10);
        newAlignment(newObjective(), objective);
        newCheckIn(keyResult, 1);
        assertThat(statementsOfCheckIn(keyResult)).containsExactly("""
                SELECT o.id, o.external_id, o.title, o.description, o.owner_id, o.cycle_id, o.team_id, o.progress, \
                o.status, o.score, o.retrospective, o.carried_over_from, o.created_at, o.updated_at, o.rolls_up \
                FROM objective o WHERE o.organization_id = ? \
                AND o.id = (SELECT k.objective_id FROM key_result k WHERE k.organization_id = ? AND k.id = ?) \
                FOR NO KEY UPDATE; \
                SELECT k.id, k.external_id, k.objective_id, k.title, k.metric_type, k.start_value, k.current_value, \
                k.target_value, k.progress, k.weight, k.owner_id, k.created_at, k.updated_at, \
                (SELECT c.confidence FROM check_in c WHERE c.organization_id = ? AND c.key_result_id = k.id \
                ORDER BY coalesce(c.recorded_at, c.created_at) DESC LIMIT 1) AS confidence, \
                (SELECT max(coalesce(c.recorded_at, c.created_at)) FROM check_in c WHERE c.organization_id = ? \
                AND c.key_result_id = k.id) AS last_recorded_at, k.check_ins, \
                sum(each.weight * each.progress) AS progress_sum, sum(each.weight) AS weight_sum, \
                count(*) AS key_results, (SELECT c.closed_at IS NOT NULL FROM objective inside \
                JOIN cycle c ON c.organization_id = ? AND c.id = inside.cycle_id \
                WHERE inside.organization_id = ? AND inside.id = k.objective_id) AS closed \
                FROM key_result k JOIN key_result each ON each.organization_id = ? \
                AND each.objective_id = k.objective_id WHERE k.organization_id = ? AND k.id = ? \
                GROUP BY k.organization_id, k.id""", """
                INSERT INTO check_in (organization_id, id, external_id, key_result_id, value, note, confidence, \
                author_id, recorded_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?); \
                UPDATE key_result SET current_value = ?, progress = ?, updated_at = ?, check_ins = ? WHERE organization_id = ? \
                AND id = ?; SET LOCAL okr.cycle_totals = 'program'; \
                INSERT INTO cycle_totals AS t (organization_id, cycle_id, slot, objectives, progress) \
                VALUES (?, ?, ?, ?, ?) ON CONFLICT (organization_id, cycle_id, slot) \
                DO UPDATE SET objectives = t.objectives + excluded.objectives, \
                progress = t.progress + excluded.progress; \
                UPDATE objective SET progress = ?, updated_at = ? WHERE organization_id = ? AND id = ?; \
                INSERT INTO event (organization_id, id, type, resource_id, created_at, payload) \
                VALUES (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?); \
                INSERT INTO outbox (organization_id, event_id, type) VALUES (?, ?, ?), (?, ?, ?), (?, ?, ?)""");
    }

    @Test
    void a_check_in_locks_a_shared_ancestor_in_its_last_statement_before_the_writes() {
        var root = newObjective();
        var branch = newObjective();
        var leaf = newObjective();
        var keyResult = newKeyResult(leaf, 0, 10);
        contribute(root, branch);
        contribute(branch, leaf);
        newCheckIn(keyResult, 1);
        var statements = statementsOfCheckIn(keyResult);
        int last = statements.size() - 1;
        assertThat(statements.get(last)).contains("UPDATE objective", "INSERT INTO event");
        assertThat(statements.get(last - 1)).contains("FOR NO KEY UPDATE");
        assertThat(statements.subList(0, last - 1)).noneMatch(statement -> statement.contains("INSERT INTO event"));
    }

    @Test
    void a_change_of_an_objective_has_four_round_trips_before_the_commit() {
        var objective = newObjective();
        newKeyResult(objective, 0, 10);
        recorded.clear();
        member.put(Paths.objective(objective), object("title", "Win ten customers"))
                .is(200);
        var statements = recorded.ofRequestWith("update objective");
        assertThat(statements).hasSize(4);
        assertThat(statements.get(1)).contains("INSERT INTO objective_words", "closed_at", "FROM key_result");
        assertThat(statements.get(3)).contains("INSERT INTO event", "INSERT INTO outbox");
    }

    /** Otherwise the deletion waits for transactions that refer to the objective, and they wait for the totals. */
    @Test
    void a_deletion_changes_the_totals_after_the_objective() {
        var objective = newObjective();
        recorded.clear();
        member.delete(Paths.objective(objective)).is(200);
        var statements = recorded.ofRequestWith("INSERT INTO deleted_objective");
        int deletion = indexOf(statements, "delete from objective ");
        int totals = indexOf(statements, "INSERT INTO cycle_totals");
        assertThat(deletion).isNotNegative().isLessThan(totals);
    }

    private static int indexOf(List<String> statements, String part) {
        return IntStream.range(0, statements.size())
                .filter(i -> statements.get(i).contains(part))
                .findFirst()
                .orElse(-1);
    }

    private void contribute(String parent, String child) {
        member.post("/v1/alignments", with(Requests.alignment(parent, child), "alignment_type", "contributes_to"))
                .is(201);
    }

    private List<String> statementsOfCheckIn(String keyResult) {
        recorded.clear();
        member.post(Paths.checkIns(keyResult), object("value", 2)).is(201);
        return recorded.ofRequestWith("INSERT INTO check_in");
    }
}
