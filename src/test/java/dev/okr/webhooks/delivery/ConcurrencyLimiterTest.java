package dev.okr.webhooks.delivery;

import static dev.okr.webhooks.delivery.Deliveries.NOW;
import static dev.okr.webhooks.delivery.Deliveries.lane;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import dev.okr.webhooks.delivery.DeliveryQueue.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConcurrencyLimiterTest {
    private static final int TOTAL = 64;
    private static final int PER_LANE = 8;
    private static final int MAX_ROUNDS = 1_000;
    private static final Duration AN_INSTANT = Duration.ofMillis(20);

    private final ConcurrencyLimiter slots = new ConcurrencyLimiter(TOTAL, PER_LANE);
    private Instant now = NOW;

    private static List<EndpointQueue> lanes(int count, boolean failing) {
        return IntStream.range(0, count)
                .mapToObj(i -> lane(UUID.randomUUID(), failing))
                .toList();
    }

    /** Claims from lanes that never run dry, until there is nothing more to claim. */
    private List<ClaimedDelivery> fill(List<EndpointQueue> ready) {
        var started = new ArrayList<ClaimedDelivery>();
        for (int round = 0; round < MAX_ROUNDS; round++) {
            var shares = slots.shares(ready, now);
            if (shares.isEmpty()) {
                return started;
            }
            started.addAll(slots.admit(claim(shares), now));
        }
        throw new AssertionError("there is always more to claim");
    }

    private List<ClaimedDelivery> claim(List<Share> shares) {
        return shares.stream()
                .flatMap(share -> Stream.generate(
                                () -> Deliveries.claimed(share.lane().webhookId(), now, 0))
                        .limit(share.deliveries()))
                .toList();
    }

    private void wait(Duration time) {
        now = now.plus(time);
    }

    private long ofLane(Collection<ClaimedDelivery> deliveries, EndpointQueue lane) {
        return deliveries.stream()
                .filter(delivery -> delivery.webhookId().equals(lane.webhookId()))
                .count();
    }

    /** Makes a lane one that is known to answer promptly. */
    private void prove(EndpointQueue lane) {
        var delivery = Deliveries.claimed(lane.webhookId(), now, 0);
        var other = Deliveries.claimed(lane.webhookId(), now, 0);
        assertThat(slots.admit(List.of(delivery, other), now)).hasSize(2);
        wait(AN_INSTANT);
        slots.end(delivery, true, now);
    }

    @Test
    void a_lane_has_no_more_than_its_limit_in_flight() {
        var lane = lane(UUID.randomUUID(), false);
        assertThat(fill(List.of(lane))).hasSize(PER_LANE);
        assertThat(slots.inFlight()).hasSize(PER_LANE);
    }

    @Test
    void all_lanes_together_have_no_more_than_the_total_in_flight() {
        assertThat(fill(lanes(200, false))).hasSize(TOTAL);
        assertThat(slots.inFlight()).hasSize(TOTAL);
        assertThat(slots.shares(lanes(3, false), now)).isEmpty();
    }

    @Test
    void what_is_admitted_beyond_the_limits_waits() {
        var lane = lane(UUID.randomUUID(), false);
        var many = claim(List.of(new Share(lane, 20)));
        assertThat(slots.admit(many, now)).hasSize(PER_LANE);
        assertThat(slots.inFlight()).hasSize(PER_LANE);
        assertThat(slots.takeWaiting()).hasSize(12);
    }

    @Test
    void every_lane_gets_something_before_one_gets_all() {
        var lanes = lanes(TOTAL, false);
        assertThat(slots.shares(lanes, now)).extracting(Share::deliveries).containsOnly(1);
        var started = fill(lanes);
        assertThat(started).extracting(ClaimedDelivery::webhookId).doesNotHaveDuplicates();
    }

    @Test
    void the_end_of_an_attempt_makes_room() {
        var lane = lane(UUID.randomUUID(), false);
        var started = fill(List.of(lane));
        assertThat(slots.shares(List.of(lane), now)).isEmpty();
        wait(AN_INSTANT);
        assertThat(slots.end(started.getFirst(), false, now)).isEmpty();
        assertThat(slots.shares(List.of(lane), now)).containsExactly(new Share(lane, 1));
    }

    @Test
    void an_attempt_that_ends_twice_makes_room_once() {
        var lane = lane(UUID.randomUUID(), false);
        var started = fill(List.of(lane));
        slots.end(started.getFirst(), false, now);
        assertThat(slots.end(started.getFirst(), false, now)).isEmpty();
        assertThat(slots.inFlight()).hasSize(PER_LANE - 1);
        assertThat(fill(List.of(lane))).hasSize(1);
    }

    @Test
    void a_failing_lane_has_one_attempt_in_flight() {
        var lane = lane(UUID.randomUUID(), true);
        assertThat(fill(List.of(lane))).hasSize(1);
        assertThat(slots.shares(List.of(lane), now)).isEmpty();
    }

    @Test
    void failing_lanes_leave_half_of_the_slots_to_the_others() {
        var failing = lanes(100, true);
        assertThat(fill(failing)).hasSize(TOTAL / 2);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void failing_lanes_that_come_later_count_together_with_the_first() {
        fill(lanes(20, true));
        fill(lanes(20, true));
        assertThat(slots.inFlight()).hasSize(TOTAL / 2);
    }

    @Test
    void lanes_that_hang_count_as_failing_ones() {
        var hanging = lanes(3, false);
        assertThat(fill(hanging)).hasSize(3 * PER_LANE);
        wait(ConcurrencyLimiter.PROMPT.plusMillis(1));
        assertThat(fill(hanging)).isEmpty();
        assertThat(fill(lanes(100, true))).hasSize(TOTAL / 2 - 3 * PER_LANE);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void a_lane_that_hangs_gets_nothing_more_once_hanging_ones_have_half_of_the_slots() {
        var hanging = lanes(7, false);
        fill(hanging);
        wait(ConcurrencyLimiter.PROMPT.plusMillis(1));
        for (var lane : hanging) {
            slots.inFlight().stream()
                    .filter(delivery -> delivery.webhookId().equals(lane.webhookId()))
                    .findFirst()
                    .ifPresent(delivery -> slots.end(delivery, false, now));
        }
        assertThat(slots.shares(hanging, now)).isEmpty();
        assertThat(slots.shares(lanes(1, false), now)).isNotEmpty();
    }

    @Test
    void a_prompt_lane_is_given_deliveries_ahead_that_follow_one_another() {
        var lane = lane(UUID.randomUUID(), false);
        prove(lane);
        var started = fill(List.of(lane));
        assertThat(started).hasSize(PER_LANE - 1);
        var next = slots.end(started.getFirst(), true, now);
        assertThat(next).isPresent();
        assertThat(slots.inFlight()).hasSize(PER_LANE).contains(next.orElseThrow());
        assertThat(slots.takeWaiting())
                .hasSize(ConcurrencyLimiter.AHEAD_PER_SLOT * PER_LANE - 1)
                .doesNotContain(next.orElseThrow());
    }

    @Test
    void a_prompt_lane_runs_low_once_when_half_of_what_it_has_ahead_is_used_up() {
        var lane = lane(UUID.randomUUID(), false);
        prove(lane);
        var delivery = fill(List.of(lane)).getFirst();
        int low = 0;
        for (int i = 0; i < ConcurrencyLimiter.AHEAD_PER_SLOT * PER_LANE; i++) {
            delivery = slots.end(delivery, true, now).orElseThrow();
            low += slots.isRunningLow(delivery) ? 1 : 0;
        }
        assertThat(low).isEqualTo(1);
    }

    @Test
    void a_lane_that_was_slow_or_failed_is_given_nothing_ahead() {
        var lane = lane(UUID.randomUUID(), false);
        var slow = fill(List.of(lane)).getFirst();
        wait(ConcurrencyLimiter.PROMPT.plusMillis(1));
        slots.end(slow, true, now);
        var failed = Deliveries.claimed(lane.webhookId(), now, 0);
        fill(List.of(lane));
        slots.end(failed, false, now);
        assertThat(slots.takeWaiting()).isEmpty();
        assertThat(ofLane(slots.inFlight(), lane)).isLessThanOrEqualTo(PER_LANE);
    }

    @Test
    void what_waits_too_long_is_not_attempted_but_taken_out() {
        var lane = lane(UUID.randomUUID(), false);
        prove(lane);
        var started = fill(List.of(lane));
        wait(ConcurrencyLimiter.MAX_WAIT.plusMillis(1));
        assertThat(slots.end(started.getFirst(), true, now)).isEmpty();
        assertThat(slots.takeStale(now)).hasSize(ConcurrencyLimiter.AHEAD_PER_SLOT * PER_LANE);
        assertThat(slots.takeStale(now)).isEmpty();
        assertThat(slots.inFlight()).hasSize(PER_LANE - 1);
    }

    @Test
    void what_has_just_come_is_not_stale() {
        var lane = lane(UUID.randomUUID(), false);
        prove(lane);
        fill(List.of(lane));
        wait(ConcurrencyLimiter.MAX_WAIT);
        assertThat(slots.takeStale(now)).isEmpty();
    }
}
