package dev.okr.objectives;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.platform.ids.IdKind;
import dev.okr.testing.HttpTest;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.delivery.TestClock;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long deleted objectives are kept. */
@QuarkusTest
class DeletedObjectivePrunerTest extends HttpTest {
    @Inject
    TestClock clock;

    @Inject
    DeletedObjectivePruner pruner;

    @AfterEach
    void resetClock() {
        clock.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_prunes_by_the_clock_of_the_database(Duration error) {
        var kept = delete("30 days");
        clock.err(error);
        var old = delete("32 days");
        pruner.prune();
        clock.reset();
        assertThat(count(kept)).isOne();
        assertThat(count(old)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_restores_by_the_clock_of_the_database(Duration error) {
        var kept = delete("29 days");
        var old = delete("31 days");
        clock.err(error);
        assertThat(admin.get("/v1/deleted-objectives").is(200).ids()).containsExactly(kept);
        admin.post("/v1/deleted-objectives/" + old + "/restore", null).is(404);
        admin.post("/v1/deleted-objectives/" + kept + "/restore", null).is(201);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT1H", "PT-1H"})
    void a_replica_whose_clock_is_wrong_dates_deletions_by_the_clock_of_the_database(Duration error) {
        var objective = newObjective();
        clock.err(error);
        admin.delete("/v1/objectives/" + objective).is(200);
        assertThat(TestDatabase.count(
                        "SELECT count(*) FROM deleted_objective WHERE organization_id = ? AND id = ?"
                                + " AND deleted_at BETWEEN now() - interval '30 minutes' AND now()",
                        acme.id(),
                        IdKind.OBJECTIVE.require(objective)))
                .isOne();
    }

    /** Deletes an objective as if it had happened some time ago. */
    private String delete(String ago) {
        var objective = newObjective();
        admin.delete("/v1/objectives/" + objective).is(200);
        TestDatabase.execute(
                "UPDATE deleted_objective SET deleted_at = now() - ?::interval WHERE organization_id = ? AND id = ?",
                ago,
                acme.id(),
                IdKind.OBJECTIVE.require(objective));
        return objective;
    }

    private long count(String objective) {
        return TestDatabase.count(
                "SELECT count(*) FROM deleted_objective WHERE organization_id = ? AND id = ?",
                acme.id(),
                IdKind.OBJECTIVE.require(objective));
    }
}
