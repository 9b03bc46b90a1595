package dev.okr.objectives.cycles;

import static dev.okr.testing.Json.object;
import static dev.okr.testing.Requests.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.Answer;
import dev.okr.testing.AtOnce;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import dev.okr.testing.TestDatabase;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The names of cycles are unique, ignoring case. */
@QuarkusTest
class CycleNameTest extends HttpTest {
    @Test
    void a_name_that_another_cycle_has_is_a_conflict() {
        var cycle = admin.post("/v1/cycles", named("Äpfel Q1 🎯")).is(201).id();
        for (var same : List.of("Äpfel Q1 🎯", "äpfel q1 🎯", " ÄPFEL Q1 🎯 ")) {
            assertThat(admin.post("/v1/cycles", named(same))
                            .isProblem(409, "conflict")
                            .detail())
                    .contains(cycle);
            assertThat(admin.put(path(newCycle()), object("name", same))
                            .isProblem(409, "conflict")
                            .detail())
                    .contains(cycle);
        }
        for (var other : List.of("Apfel Q1 🎯", "Äpfel Q2 🎯", "Äpfel Q1", "Äpfel  Q1 🎯")) {
            admin.post("/v1/cycles", named(other)).is(201);
        }
        organization().admin().post("/v1/cycles", named("Äpfel Q1 🎯")).is(201);
    }

    @Test
    void a_cycle_can_change_the_case_of_its_own_name() {
        var cycle = admin.post("/v1/cycles", named("q1")).is(201).id();
        admin.put(path(cycle), object("name", "Q1")).is(200);
        admin.put(path(cycle), object("name", "Q1")).is(200);
        assertThat(viewer.get(path(cycle)).text("name")).isEqualTo("Q1");
    }

    @Test
    void the_name_of_a_deleted_cycle_is_free() {
        var cycle = admin.post("/v1/cycles", named("Q1")).is(201).id();
        admin.delete(path(cycle)).is(200);
        admin.post("/v1/cycles", named("q1")).is(201);
    }

    @Test
    void equal_names_of_earlier_versions_stay_until_they_are_changed() {
        var first = newCycle();
        var second = newCycle();
        TestDatabase.execute("UPDATE cycle SET name = 'Q1' WHERE organization_id = ?", acme.id());
        for (var cycle : List.of(first, second)) {
            admin.put(path(cycle), object("name", "Q1", "ends_at", "2100-01-01T00:00:00Z"))
                    .is(200);
            admin.put(path(cycle), object("name", "q1")).isProblem(409, "conflict");
        }
        admin.post("/v1/cycles", named("Q1")).isProblem(409, "conflict");
        admin.put(path(second), object("name", "Q2")).is(200);
        admin.put(path(first), object("name", "q1")).is(200);
        admin.put(path(second), object("name", "Q1")).isProblem(409, "conflict");
    }

    @RepeatedTest(3)
    void of_concurrent_requests_one_gets_the_name() throws Exception {
        var name = "Q1 " + UUID.randomUUID();
        var renamed = newCycle();
        var requests = new ArrayList<>(AtOnce.times(4, () -> admin.post("/v1/cycles", named(name))));
        requests.addAll(AtOnce.times(4, () -> admin.post("/v1/cycles", named(name.toUpperCase(Locale.ROOT)))));
        requests.add(() -> admin.put(path(renamed), object("name", name)));
        var answers = AtOnce.run(requests);
        assertThat(answers).filteredOn(answer -> answer.status() < 300).hasSize(1);
        assertThat(answers)
                .extracting(Answer::status)
                .containsOnly(answers.getLast().status() == 200 ? 200 : 201, 409);
    }

    private static Map<String, Object> named(String name) {
        return with(Requests.cycle(), "name", name);
    }

    private static String path(String cycle) {
        return "/v1/cycles/" + cycle;
    }
}
