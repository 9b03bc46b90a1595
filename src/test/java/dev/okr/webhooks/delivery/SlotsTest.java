package dev.okr.webhooks.delivery;

import static dev.okr.webhooks.delivery.Deliveries.NOW;
import static dev.okr.webhooks.delivery.Deliveries.lane;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.delivery.Slots.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final int TOTAL = 64;
    private static final int PER_ENDPOINT = 4;
    private static final int RESERVED = TOTAL / 16;
    private static final int MAX_CLAIMS = 1_000;
    private static final Duration AN_INSTANT = Duration.ofMillis(20);

    private final Slots slots = new Slots(TOTAL, PER_ENDPOINT);
    private Instant now = NOW;

    private static List<Lane> lanes(int count, boolean failing) {
        return IntStream.range(0, count)
                .mapToObj(i -> lane(UUID.randomUUID(), failing))
                .toList();
    }

    private static List<Lane> lanesOfOne(int count) {
        var organization = UUID.randomUUID();
        return IntStream.range(0, count)
                .mapToObj(i -> new Lane(organization, UUID.randomUUID(), false))
                .toList();
    }

    /** Claims from endpoint queues that never become empty, until no more may be claimed. */
    private List<Attempt> fill(List<Lane> ready) {
        var started = new ArrayList<Attempt>();
        for (int i = 0; i < MAX_CLAIMS; i++) {
            var requests = slots.allocate(ready, now);
            if (requests.isEmpty()) {
                return started;
            }
            started.addAll(slots.admit(claim(requests), now));
        }
        throw new AssertionError("the slots are allocated without end");
    }

    private List<Attempt> claim(List<Request> requests) {
        return requests.stream()
                .flatMap(request -> Stream.generate(() -> Deliveries.claimed(request.lane(), now, 0))
                        .limit(request.deliveries()))
                .toList();
    }

    private void wait(Duration time) {
        now = now.plus(time);
    }

    private long ofEndpoint(Collection<Attempt> deliveries, Lane queue) {
        return deliveries.stream()
                .filter(delivery -> delivery.webhookId().equals(queue.webhookId()))
                .count();
    }

    /** Makes an endpoint responsive by a fast success. */
    private void makeResponsive(Lane queue) {
        var delivery = Deliveries.claimed(queue.webhookId(), now, 0);
        var other = Deliveries.claimed(queue.webhookId(), now, 0);
        assertThat(slots.admit(List.of(delivery, other), now)).hasSize(2);
        wait(AN_INSTANT);
        slots.end(delivery, true, now);
    }

    @Test
    void an_endpoint_has_at_most_its_limit_in_flight() {
        var queue = lane(UUID.randomUUID(), false);
        assertThat(fill(List.of(queue))).hasSize(PER_ENDPOINT);
        assertThat(slots.inFlight()).hasSize(PER_ENDPOINT);
    }

    @Test
    void all_endpoints_together_have_at_most_the_total_in_flight() {
        assertThat(fill(lanes(200, false))).hasSize(TOTAL);
        assertThat(slots.inFlight()).hasSize(TOTAL);
        assertThat(slots.allocate(lanes(3, false), now)).isEmpty();
    }

    @Test
    void deliveries_beyond_the_limits_wait() {
        var queue = lane(UUID.randomUUID(), false);
        var many = claim(List.of(new Request(queue, 20)));
        assertThat(slots.admit(many, now)).hasSize(PER_ENDPOINT);
        assertThat(slots.inFlight()).hasSize(PER_ENDPOINT);
        assertThat(slots.removeWaiting()).hasSize(20 - PER_ENDPOINT);
    }

    @Test
    void free_slots_are_shared_among_endpoints() {
        var queues = lanes(TOTAL, false);
        assertThat(slots.allocate(queues, now)).extracting(Request::deliveries).containsOnly(1);
        var started = fill(queues);
        assertThat(started).extracting(Attempt::webhookId).doesNotHaveDuplicates();
    }

    @Test
    void an_organisation_uses_at_most_as_many_slots_as_are_free() {
        var greedy = lanesOfOne(100);
        int shared = TOTAL - RESERVED;
        assertThat(fill(greedy)).hasSize(shared / 2);
        assertThat(slots.fullOrganizations()).containsExactly(greedy.getFirst().organizationId());
        assertThat(fill(lanesOfOne(100))).hasSize(shared / 4);
        assertThat(fill(lanesOfOne(100))).hasSize(Math.ceilDiv(shared, 8));
        assertThat(slots.allocate(greedy, now)).isEmpty();
    }

    @Test
    void an_organisation_without_attempts_gets_one_slot_although_others_use_all_they_may() {
        IntStream.range(0, 6).forEach(i -> fill(lanesOfOne(100)));
        assertThat(slots.free()).isEqualTo(RESERVED);
        var late = lanesOfOne(100);
        assertThat(fill(late)).hasSize(1);
        assertThat(slots.allocate(late, now)).isEmpty();
        assertThat(fill(lanesOfOne(100))).hasSize(1);
    }

    @Test
    void prefetched_deliveries_do_not_exceed_the_share_of_the_organisation() {
        var greedy = lanesOfOne(100);
        fill(greedy).forEach(attempt -> slots.end(attempt, true, now));
        slots.removeWaiting();
        fill(greedy);
        assertThat(slots.inFlight()).hasSize((TOTAL - RESERVED) / 2);
    }

    @Test
    void an_organisation_gets_slots_again_when_its_attempts_end() {
        var greedy = lanesOfOne(100);
        var started = fill(greedy);
        slots.end(started.getFirst(), true, now);
        slots.end(started.getLast(), true, now);
        assertThat(slots.fullOrganizations()).isEmpty();
        assertThat(fill(greedy)).hasSize(2);
        assertThat(fill(lanesOfOne(1))).isNotEmpty();
    }

    @Test
    void the_end_of_an_attempt_frees_a_slot() {
        var queue = lane(UUID.randomUUID(), false);
        var started = fill(List.of(queue));
        assertThat(slots.allocate(List.of(queue), now)).isEmpty();
        wait(AN_INSTANT);
        assertThat(slots.end(started.getFirst(), false, now).next()).isEmpty();
        assertThat(slots.allocate(List.of(queue), now)).containsExactly(new Request(queue, 1));
    }

    @Test
    void an_attempt_that_ends_twice_frees_one_slot() {
        var queue = lane(UUID.randomUUID(), false);
        var started = fill(List.of(queue));
        slots.end(started.getFirst(), false, now);
        assertThat(slots.end(started.getFirst(), false, now).next()).isEmpty();
        assertThat(slots.inFlight()).hasSize(PER_ENDPOINT - 1);
        assertThat(fill(List.of(queue))).hasSize(1);
    }

    @Test
    void a_failing_endpoint_has_one_attempt_in_flight() {
        var queue = lane(UUID.randomUUID(), true);
        assertThat(fill(List.of(queue))).hasSize(1);
        assertThat(slots.allocate(List.of(queue), now)).isEmpty();
    }

    @Test
    void failing_endpoints_use_at_most_half_of_the_slots() {
        var failing = lanes(100, true);
        assertThat(fill(failing)).hasSize(TOTAL / 2);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void failing_endpoints_of_several_claims_share_one_limit() {
        fill(lanes(20, true));
        fill(lanes(20, true));
        assertThat(slots.inFlight()).hasSize(TOTAL / 2);
    }

    @Test
    void hanging_endpoints_count_as_unhealthy() {
        var hanging = lanes(3, false);
        assertThat(fill(hanging)).hasSize(3 * PER_ENDPOINT);
        wait(Slots.SLOW_AFTER.plusMillis(1));
        assertThat(fill(hanging)).isEmpty();
        assertThat(fill(lanes(100, true))).hasSize(TOTAL / 2 - 3 * PER_ENDPOINT);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void slow_endpoints_stay_unhealthy_between_their_attempts() {
        var slow = lanes(100, false);
        var started = fill(slow);
        wait(Slots.SLOW_AFTER.plusMillis(1));
        started.forEach(attempt -> slots.end(attempt, true, now));
        slots.removeWaiting();
        wait(Slots.SLOW_KEPT);
        slots.forgetIdle(now);
        assertThat(fill(slow.subList(0, started.size()))).hasSize(TOTAL / 2);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void a_slow_endpoint_is_healthy_again_after_a_fast_attempt_or_a_long_pause() {
        var slow = lanes(2, false);
        fill(slow).forEach(attempt -> {
            wait(Slots.SLOW_AFTER.plusMillis(1));
            slots.end(attempt, true, now);
        });
        fill(lanes(TOTAL / 2, true));
        assertThat(slots.allocate(slow, now)).isEmpty();
        wait(Slots.SLOW_KEPT.plusMillis(1));
        slots.forgetIdle(now);
        var again = fill(slow.subList(0, 1));
        assertThat(again).isNotEmpty();
        wait(AN_INSTANT);
        again.forEach(attempt -> slots.end(attempt, true, now));
        assertThat(slots.allocate(slow.subList(0, 1), now)).isNotEmpty();
    }

    @Test
    void a_failing_endpoint_gets_the_only_slot() {
        assertThat(new Slots(1, PER_ENDPOINT).allocate(lanes(1, true), now)).hasSize(1);
    }

    @Test
    void hanging_endpoints_of_one_organisation_leave_slots_for_failing_ones_of_others() {
        var greedy = lanesOfOne(100);
        int hanging = (TOTAL - RESERVED) / 2;
        assertThat(fill(greedy)).hasSize(hanging);
        wait(Slots.SLOW_AFTER.plusMillis(1));
        assertThat(slots.fullOfUnhealthy(now)).containsExactly(greedy.getFirst().organizationId());
        int left = TOTAL / 2 - TOTAL / 8;
        assertThat(slots.freeForFailing(now)).isEqualTo(left);
        assertThat(fill(lanes(100, true))).hasSize(left);
        assertThat(fill(lanes(100, false))).hasSize(TOTAL - hanging - left);
    }

    /** The endpoints are healthy when they get their slots. */
    @Test
    void hanging_endpoints_of_three_organisations_leave_slots_for_slow_and_failing_ones_of_others() {
        for (int i = 0; i < 3; i++) {
            assertThat(fill(lanesOfOne(100))).hasSizeGreaterThanOrEqualTo(TOTAL / 8);
        }
        wait(Slots.SLOW_AFTER.plusMillis(1));
        assertThat(slots.allocate(lanes(1, true), now)).hasSize(1);
    }

    @Test
    void unhealthy_endpoints_leave_slots_for_healthy_ones_of_others() {
        fill(lanesOfOne(100));
        fill(lanesOfOne(100));
        wait(Slots.SLOW_AFTER.plusMillis(1));
        fill(lanes(100, true));
        assertThat(slots.free()).isEqualTo(TOTAL / 8);
        assertThat(fill(lanesOfOne(1))).hasSizeGreaterThan(1);
    }

    @Test
    void failing_endpoints_of_one_organisation_use_at_most_half_of_the_slots_for_failing_ones() {
        var organization = UUID.randomUUID();
        var greedy = IntStream.range(0, 100)
                .mapToObj(i -> new Lane(organization, UUID.randomUUID(), true))
                .toList();
        assertThat(fill(greedy)).hasSize(TOTAL / 4);
        assertThat(slots.fullOfUnhealthy(now)).containsExactly(organization);
        assertThat(fill(lanes(100, true))).hasSize(TOTAL / 2 - TOTAL / 8);
    }

    @Test
    void hanging_endpoints_get_no_more_slots_once_they_use_half() {
        var hanging = lanes(14, false);
        fill(hanging);
        wait(Slots.SLOW_AFTER.plusMillis(1));
        for (var queue : hanging) {
            slots.inFlight().stream()
                    .filter(delivery -> delivery.webhookId().equals(queue.webhookId()))
                    .findFirst()
                    .ifPresent(delivery -> slots.end(delivery, false, now));
        }
        assertThat(slots.allocate(hanging, now)).isEmpty();
        assertThat(slots.allocate(lanes(1, false), now)).isNotEmpty();
    }

    @Test
    void a_responsive_endpoint_prefetches_deliveries_that_follow_one_another() {
        var queue = lane(UUID.randomUUID(), false);
        makeResponsive(queue);
        var started = fill(List.of(queue));
        assertThat(started).hasSize(PER_ENDPOINT - 1);
        var next = slots.end(started.getFirst(), true, now).next();
        assertThat(next).isPresent();
        assertThat(slots.inFlight()).hasSize(PER_ENDPOINT).contains(next.orElseThrow());
        assertThat(slots.removeWaiting())
                .hasSize(Slots.MAX_PREFETCH_PER_SLOT * PER_ENDPOINT - 1)
                .doesNotContain(next.orElseThrow());
    }

    @Test
    void a_responsive_endpoint_prefetches_again_when_half_is_used() {
        var queue = lane(UUID.randomUUID(), false);
        makeResponsive(queue);
        var delivery = fill(List.of(queue)).getFirst();
        int prefetches = 0;
        for (int i = 0; i < Slots.MAX_PREFETCH_PER_SLOT * PER_ENDPOINT; i++) {
            var end = slots.end(delivery, true, now);
            delivery = end.next().orElseThrow();
            prefetches += end.claimMore() ? 1 : 0;
        }
        assertThat(prefetches).isEqualTo(1);
    }

    @Test
    void an_end_asks_for_a_claim_only_if_deliveries_may_have_waited_for_it() {
        var healthy = lane(UUID.randomUUID(), false);
        var started = fill(List.of(healthy));
        assertThat(started).hasSize(PER_ENDPOINT);
        assertThat(slots.end(started.getFirst(), false, now).claimMore()).isTrue();
        assertThat(slots.end(started.getLast(), false, now).claimMore()).isFalse();

        var slow = claim(List.of(new Request(lane(UUID.randomUUID(), false), 1)));
        slots.admit(slow, now);
        wait(Slots.SLOW_AFTER.plusMillis(1));
        assertThat(slots.end(slow.getFirst(), true, now).claimMore()).isTrue();

        var other = claim(List.of(new Request(lane(UUID.randomUUID(), false), 1)));
        slots.admit(other, now);
        fill(lanesOfOne(100));
        assertThat(slots.fullOrganizations()).isNotEmpty();
        assertThat(slots.end(other.getFirst(), false, now).claimMore()).isTrue();
    }

    @Test
    void the_end_of_a_large_attempt_asks_for_a_claim_although_a_small_one_follows() {
        var queue = lane(UUID.randomUUID(), false);
        var first = large(queue, 4);
        assertThat(slots.admit(List.of(first), now)).containsExactly(first);
        var others = claim(List.of(new Request(queue, PER_ENDPOINT)));
        assertThat(slots.admit(others, now)).hasSize(PER_ENDPOINT - 1);
        var end = slots.end(first, true, now);
        assertThat(end.next()).contains(others.getLast());
        assertThat(end.claimMore()).isTrue();
    }

    @Test
    void an_endpoint_prefetches_only_what_it_can_attempt_in_time() {
        var queue = lane(UUID.randomUUID(), false);
        var first = claim(List.of(new Request(queue, 1)));
        slots.admit(first, now);
        wait(Slots.MAX_PREFETCH_WAIT.dividedBy(4));
        slots.end(first.getFirst(), true, now);
        var requests = slots.allocate(List.of(queue), now);
        assertThat(requests).extracting(Request::deliveries).containsExactly(1 + 3 * PER_ENDPOINT);
    }

    @Test
    void a_slow_or_failed_endpoint_does_not_prefetch() {
        var queue = lane(UUID.randomUUID(), false);
        var slow = fill(List.of(queue)).getFirst();
        wait(Slots.SLOW_AFTER.plusMillis(1));
        slots.end(slow, true, now);
        var failed = Deliveries.claimed(queue.webhookId(), now, 0);
        fill(List.of(queue));
        slots.end(failed, false, now);
        assertThat(slots.removeWaiting()).isEmpty();
        assertThat(ofEndpoint(slots.inFlight(), queue)).isLessThanOrEqualTo(PER_ENDPOINT);
    }

    @Test
    void a_delivery_that_waits_too_long_is_removed() {
        var queue = lane(UUID.randomUUID(), false);
        makeResponsive(queue);
        var started = fill(List.of(queue));
        wait(Slots.MAX_PREFETCH_WAIT.plusMillis(1));
        var end = slots.end(started.getFirst(), true, now);
        assertThat(end.next()).isEmpty();
        assertThat(end.claimMore()).isTrue();
        assertThat(slots.removeStuck(now)).hasSize(Slots.MAX_PREFETCH_PER_SLOT * PER_ENDPOINT);
        assertThat(slots.removeStuck(now)).isEmpty();
        assertThat(slots.inFlight()).hasSize(PER_ENDPOINT - 1);
    }

    @Test
    void a_new_delivery_is_not_stale() {
        var queue = lane(UUID.randomUUID(), false);
        makeResponsive(queue);
        fill(List.of(queue));
        wait(Slots.MAX_PREFETCH_WAIT);
        assertThat(slots.removeStuck(now)).isEmpty();
    }

    @Test
    void an_organisation_shares_slots_although_its_payloads_are_large() {
        var greedy = lanesOfOne(100);
        var large = greedy.stream().map(lane -> large(lane, 4)).toList();
        assertThat(slots.admit(large, now)).hasSize(TOTAL / 2 / 4);
        assertThat(slots.fullOrganizations()).containsExactly(greedy.getFirst().organizationId());
        assertThat(fill(lanesOfOne(100))).hasSize((TOTAL / 2 - RESERVED) / 2);
    }

    @Test
    void a_large_delivery_that_no_attempt_of_its_endpoint_precedes_is_released_at_once() {
        var greedy = lanesOfOne(100);
        var large = greedy.stream().map(lane -> large(lane, 4)).toList();
        var started = slots.admit(large, now);
        assertThat(slots.removeStuck(now)).hasSize(large.size() - started.size());
        // The next claim knows how many slots they need.
        slots.end(started.getFirst(), true, now);
        assertThat(slots.allocate(greedy, now)).hasSize(1);
    }

    @Test
    void a_large_delivery_does_not_follow_a_small_one_without_slots() {
        var queue = lane(UUID.randomUUID(), false);
        var small = claim(List.of(new Request(queue, PER_ENDPOINT)));
        assertThat(slots.admit(small, now)).hasSize(PER_ENDPOINT);
        assertThat(fill(lanes(200, false))).hasSize(TOTAL - PER_ENDPOINT);
        assertThat(slots.admit(List.of(large(queue, 2)), now)).isEmpty();
        assertThat(slots.end(small.getFirst(), true, now).next()).isEmpty();
        assertThat(slots.end(small.getLast(), true, now).next()).isEmpty();
    }

    private Attempt large(Lane lane, int slots) {
        return Deliveries.claimed(lane, now, 0, slots * Payload.SMALL_BYTES);
    }
}
