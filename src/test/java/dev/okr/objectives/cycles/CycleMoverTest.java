package dev.okr.objectives.cycles;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.testing.HttpTest;
import dev.okr.testing.Requests;
import io.quarkus.test.junit.QuarkusTest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** In tests the job runs every second. The contract allows a minute. */
@QuarkusTest
class CycleMoverTest extends HttpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void a_cycle_becomes_active_and_then_completed_over_time() {
        var now = Instant.now();
        var path = create(now.minusSeconds(60), now.plusSeconds(3));
        acme.backdate();
        becomes(path, "active");
        becomes(path, "completed");
        assertThat(Instant.now()).isAfterOrEqualTo(now.plusSeconds(3));
        var moved = viewer.get(path);
        assertThat(moved.text("updated_at")).isGreaterThan(moved.text("created_at"));
    }

    @Test
    void a_new_cycle_in_the_past_is_planned_and_then_completed() {
        var now = Instant.now();
        becomes(create(now.minusSeconds(120), now.minusSeconds(60)), "completed");
    }

    @Test
    void changed_dates_change_the_status_in_both_directions() {
        var now = Instant.now();
        var path = create(now.minusSeconds(120), now.minusSeconds(60));
        becomes(path, "completed");
        admin.put(path, object("ends_at", now.plusSeconds(3600).toString())).is(200);
        becomes(path, "active");
        admin.put(path, object("starts_at", now.plusSeconds(1800).toString())).is(200);
        becomes(path, "planned");
        admin.put(path, object("starts_at", "2001-01-01T00:00:00Z", "ends_at", "2001-04-01T00:00:00Z"))
                .is(200);
        becomes(path, "completed");
    }

    @Test
    void a_cycle_without_a_change_of_status_keeps_updated_at() throws InterruptedException {
        var path = "/v1/cycles/" + newCycle();
        var past = create(Instant.now().minusSeconds(120), Instant.now().minusSeconds(60));
        acme.backdate();
        var before = viewer.get(path).data();
        becomes(past, "completed");
        var completed = viewer.get(past).data();
        Thread.sleep(Duration.ofMillis(2_500));
        assertThat(viewer.get(path).data()).isEqualTo(before);
        assertThat(viewer.get(past).data()).isEqualTo(completed);
    }

    private String create(Instant startsAt, Instant endsAt) {
        var body = Requests.with(Requests.cycle(), "starts_at", startsAt.toString(), "ends_at", endsAt.toString());
        var created = admin.post("/v1/cycles", body).is(201);
        assertThat(created.text("status")).isEqualTo("planned");
        return "/v1/cycles/" + created.id();
    }

    private void becomes(String path, String status) {
        var deadline = Instant.now().plus(PATIENCE);
        for (var cycle = viewer.get(path); !cycle.text("status").equals(status); cycle = viewer.get(path)) {
            assertThat(Instant.now()).as(cycle::toString).isBefore(deadline);
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
