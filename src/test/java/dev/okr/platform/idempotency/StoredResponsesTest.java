package dev.okr.platform.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import dev.okr.webhooks.delivery.TestClock;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How long responses are kept. */
@QuarkusTest
class StoredResponsesTest extends HttpTest {
    @Inject
    TestClock clock;

    @Inject
    StoredResponses responses;

    @AfterEach
    void resetClock() {
        clock.reset();
    }

    @ParameterizedTest
    @ValueSource(strings = {"P40D", "P-40D"})
    void a_replica_whose_clock_is_wrong_keeps_responses_by_the_clock_of_the_database(Duration error) {
        var body = Requests.objective(newCycle());
        admin.header("Idempotency-Key", UUID.randomUUID().toString())
                .post("/v1/objectives", body)
                .is(201);
        TestDatabase.execute(
                "UPDATE idempotent_response SET created_at = now() - interval '25 hours' WHERE organization_id = ?",
                acme.id());
        clock.err(error);
        var api = admin.header("Idempotency-Key", UUID.randomUUID().toString());
        var first = api.post("/v1/objectives", body).is(201);
        responses.prune();
        var second = api.post("/v1/objectives", body).is(201);
        assertThat(second.id()).isEqualTo(first.id());
        // An expired response that is not deleted yet is replaced.
        TestDatabase.execute(
                "UPDATE idempotent_response SET created_at = now() - interval '25 hours' WHERE organization_id = ?",
                acme.id());
        var third = api.post("/v1/objectives", body).is(201);
        assertThat(third.id()).isNotEqualTo(first.id());
        assertThat(api.post("/v1/objectives", body).is(201).id()).isEqualTo(third.id());
        assertThat(TestDatabase.count("SELECT count(*) FROM idempotent_response WHERE organization_id = ?", acme.id()))
                .isOne();
    }
}
