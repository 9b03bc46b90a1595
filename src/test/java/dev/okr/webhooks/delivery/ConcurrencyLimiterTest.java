package dev.okr.webhooks.delivery;

import static dev.okr.webhooks.delivery.Deliveries.NOW;
import static dev.okr.webhooks.delivery.Deliveries.endpointQueue;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.webhooks.delivery.DeliveryQueue.ClaimRequest;
import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
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
    private static final int PER_ENDPOINT = 8;
    private static final int MAX_CLAIMS = 1_000;
    private static final Duration AN_INSTANT = Duration.ofMillis(20);

    private final ConcurrencyLimiter limiter = new ConcurrencyLimiter(TOTAL, PER_ENDPOINT);
    private Instant now = NOW;

    private static List<EndpointQueue> endpointQueues(int count, boolean failing) {
        return IntStream.range(0, count)
                .mapToObj(i -> endpointQueue(UUID.randomUUID(), failing))
                .toList();
    }

    /** Claims from endpoint queues that never become empty, until no more may be claimed. */
    private List<ClaimedDelivery> fill(List<EndpointQueue> ready) {
        var started = new ArrayList<ClaimedDelivery>();
        for (int i = 0; i < MAX_CLAIMS; i++) {
            var requests = limiter.allocate(ready, now);
            if (requests.isEmpty()) {
                return started;
            }
            started.addAll(limiter.admit(claim(requests), now));
        }
        throw new AssertionError("the limiter allocates without end");
    }

    private List<ClaimedDelivery> claim(List<ClaimRequest> requests) {
        return requests.stream()
                .flatMap(request -> Stream.generate(
                                () -> Deliveries.claimed(request.queue().webhookId(), now, 0))
                        .limit(request.deliveries()))
                .toList();
    }

    private void wait(Duration time) {
        now = now.plus(time);
    }

    private long ofEndpoint(Collection<ClaimedDelivery> deliveries, EndpointQueue queue) {
        return deliveries.stream()
                .filter(delivery -> delivery.webhookId().equals(queue.webhookId()))
                .count();
    }

    /** Makes an endpoint responsive by a fast success. */
    private void makeResponsive(EndpointQueue queue) {
        var delivery = Deliveries.claimed(queue.webhookId(), now, 0);
        var other = Deliveries.claimed(queue.webhookId(), now, 0);
        assertThat(limiter.admit(List.of(delivery, other), now)).hasSize(2);
        wait(AN_INSTANT);
        limiter.end(delivery, true, now);
    }

    @Test
    void an_endpoint_has_at_most_its_limit_in_flight() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        assertThat(fill(List.of(queue))).hasSize(PER_ENDPOINT);
        assertThat(limiter.inFlight()).hasSize(PER_ENDPOINT);
    }

    @Test
    void all_endpoints_together_have_at_most_the_total_in_flight() {
        assertThat(fill(endpointQueues(200, false))).hasSize(TOTAL);
        assertThat(limiter.inFlight()).hasSize(TOTAL);
        assertThat(limiter.allocate(endpointQueues(3, false), now)).isEmpty();
    }

    @Test
    void deliveries_beyond_the_limits_wait() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        var many = claim(List.of(new ClaimRequest(queue, 20)));
        assertThat(limiter.admit(many, now)).hasSize(PER_ENDPOINT);
        assertThat(limiter.inFlight()).hasSize(PER_ENDPOINT);
        assertThat(limiter.removeWaiting()).hasSize(12);
    }

    @Test
    void free_slots_are_shared_among_endpoints() {
        var queues = endpointQueues(TOTAL, false);
        assertThat(limiter.allocate(queues, now))
                .extracting(ClaimRequest::deliveries)
                .containsOnly(1);
        var started = fill(queues);
        assertThat(started).extracting(ClaimedDelivery::webhookId).doesNotHaveDuplicates();
    }

    @Test
    void the_end_of_an_attempt_frees_a_slot() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        var started = fill(List.of(queue));
        assertThat(limiter.allocate(List.of(queue), now)).isEmpty();
        wait(AN_INSTANT);
        assertThat(limiter.end(started.getFirst(), false, now)).isEmpty();
        assertThat(limiter.allocate(List.of(queue), now)).containsExactly(new ClaimRequest(queue, 1));
    }

    @Test
    void an_attempt_that_ends_twice_frees_one_slot() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        var started = fill(List.of(queue));
        limiter.end(started.getFirst(), false, now);
        assertThat(limiter.end(started.getFirst(), false, now)).isEmpty();
        assertThat(limiter.inFlight()).hasSize(PER_ENDPOINT - 1);
        assertThat(fill(List.of(queue))).hasSize(1);
    }

    @Test
    void a_failing_endpoint_has_one_attempt_in_flight() {
        var queue = endpointQueue(UUID.randomUUID(), true);
        assertThat(fill(List.of(queue))).hasSize(1);
        assertThat(limiter.allocate(List.of(queue), now)).isEmpty();
    }

    @Test
    void failing_endpoints_use_at_most_half_of_the_slots() {
        var failing = endpointQueues(100, true);
        assertThat(fill(failing)).hasSize(TOTAL / 2);
        assertThat(fill(endpointQueues(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void failing_endpoints_of_several_claims_share_one_limit() {
        fill(endpointQueues(20, true));
        fill(endpointQueues(20, true));
        assertThat(limiter.inFlight()).hasSize(TOTAL / 2);
    }

    @Test
    void hanging_endpoints_count_as_unhealthy() {
        var hanging = endpointQueues(3, false);
        assertThat(fill(hanging)).hasSize(3 * PER_ENDPOINT);
        wait(ConcurrencyLimiter.SLOW_AFTER.plusMillis(1));
        assertThat(fill(hanging)).isEmpty();
        assertThat(fill(endpointQueues(100, true))).hasSize(TOTAL / 2 - 3 * PER_ENDPOINT);
        assertThat(fill(endpointQueues(100, false))).hasSize(TOTAL / 2);
    }

    @Test
    void hanging_endpoints_get_no_more_slots_once_they_use_half() {
        var hanging = endpointQueues(7, false);
        fill(hanging);
        wait(ConcurrencyLimiter.SLOW_AFTER.plusMillis(1));
        for (var queue : hanging) {
            limiter.inFlight().stream()
                    .filter(delivery -> delivery.webhookId().equals(queue.webhookId()))
                    .findFirst()
                    .ifPresent(delivery -> limiter.end(delivery, false, now));
        }
        assertThat(limiter.allocate(hanging, now)).isEmpty();
        assertThat(limiter.allocate(endpointQueues(1, false), now)).isNotEmpty();
    }

    @Test
    void a_responsive_endpoint_prefetches_deliveries_that_follow_one_another() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        makeResponsive(queue);
        var started = fill(List.of(queue));
        assertThat(started).hasSize(PER_ENDPOINT - 1);
        var next = limiter.end(started.getFirst(), true, now);
        assertThat(next).isPresent();
        assertThat(limiter.inFlight()).hasSize(PER_ENDPOINT).contains(next.orElseThrow());
        assertThat(limiter.removeWaiting())
                .hasSize(ConcurrencyLimiter.PREFETCH_PER_SLOT * PER_ENDPOINT - 1)
                .doesNotContain(next.orElseThrow());
    }

    @Test
    void a_responsive_endpoint_prefetches_again_when_half_is_used() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        makeResponsive(queue);
        var delivery = fill(List.of(queue)).getFirst();
        int prefetches = 0;
        for (int i = 0; i < ConcurrencyLimiter.PREFETCH_PER_SLOT * PER_ENDPOINT; i++) {
            delivery = limiter.end(delivery, true, now).orElseThrow();
            prefetches += limiter.shouldPrefetch(delivery) ? 1 : 0;
        }
        assertThat(prefetches).isEqualTo(1);
    }

    @Test
    void a_slow_or_failed_endpoint_does_not_prefetch() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        var slow = fill(List.of(queue)).getFirst();
        wait(ConcurrencyLimiter.SLOW_AFTER.plusMillis(1));
        limiter.end(slow, true, now);
        var failed = Deliveries.claimed(queue.webhookId(), now, 0);
        fill(List.of(queue));
        limiter.end(failed, false, now);
        assertThat(limiter.removeWaiting()).isEmpty();
        assertThat(ofEndpoint(limiter.inFlight(), queue)).isLessThanOrEqualTo(PER_ENDPOINT);
    }

    @Test
    void a_delivery_that_waits_too_long_is_removed() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        makeResponsive(queue);
        var started = fill(List.of(queue));
        wait(ConcurrencyLimiter.MAX_PREFETCH_WAIT.plusMillis(1));
        assertThat(limiter.end(started.getFirst(), true, now)).isEmpty();
        assertThat(limiter.removeStale(now)).hasSize(ConcurrencyLimiter.PREFETCH_PER_SLOT * PER_ENDPOINT);
        assertThat(limiter.removeStale(now)).isEmpty();
        assertThat(limiter.inFlight()).hasSize(PER_ENDPOINT - 1);
    }

    @Test
    void a_new_delivery_is_not_stale() {
        var queue = endpointQueue(UUID.randomUUID(), false);
        makeResponsive(queue);
        fill(List.of(queue));
        wait(ConcurrencyLimiter.MAX_PREFETCH_WAIT);
        assertThat(limiter.removeStale(now)).isEmpty();
    }
}
