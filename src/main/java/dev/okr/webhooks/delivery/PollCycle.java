package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.delivery.DeliveryQueue.ClaimRequest;
import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The dispatcher's database work, with one transaction for each step. Only {@link #release} is thread-safe. */
@ApplicationScoped
class PollCycle {
    private static final int MAX_QUEUES_PER_PAGE = 512;

    /**
     * A lease exceeds the request timeout by this margin. After the lease expires, any replica may claim the delivery.
     */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(10);

    private final AgroalDataSource database;
    private final FanOut fanOut;
    private final DeliveryQueue queue;
    private final UtcClock clock;
    private final Duration lease;

    /** The next page starts after this endpoint queue. */
    private EndpointQueue pageCursor = EndpointQueue.FIRST;

    /**
     * The next allocation of slots starts after this endpoint queue, so that each endpoint gets a turn when slots are
     * scarce.
     */
    private EndpointQueue allocationCursor = EndpointQueue.FIRST;

    /** The {@link #pageCursor} at which the current pass over all endpoint queues started. */
    private EndpointQueue passStart = EndpointQueue.FIRST;

    /** Whether the current pass has read the last endpoint queue. */
    private boolean wrapped;

    PollCycle(
            AgroalDataSource database, FanOut fanOut, DeliveryQueue queue, UtcClock clock, DeliverySettings settings) {
        this.database = database;
        this.fanOut = fanOut;
        this.queue = queue;
        this.clock = clock;
        this.lease = settings.requestTimeout().plus(LEASE_MARGIN);
    }

    /**
     * The result of one poll.
     *
     * @param queued whether the fan-out has queued deliveries
     * @param moreEvents whether there may be more events to fan out
     * @param moreDeliveries whether there may be more to claim, because every requested delivery was found or the pass
     *     is not complete
     */
    record PollResult(boolean queued, boolean moreEvents, boolean moreDeliveries, List<ClaimedDelivery> claimed) {}

    /** Starts a new pass over all endpoint queues, from the current position. */
    void restart() {
        passStart = pageCursor;
        wrapped = false;
    }

    /** Fans out events and claims deliveries for the free slots. Both commit before any attempt starts. */
    PollResult run(ConcurrencyLimiter limiter, boolean fanOutEvents, boolean claimDeliveries) throws SQLException {
        return QueueTransaction.runAt(
                database, (sql, now) -> run(sql, clock.shared(now), limiter, fanOutEvents, claimDeliveries));
    }

    /** Makes due deliveries ready. Returns whether there may be more. */
    boolean promote() throws SQLException {
        int promoted = QueueTransaction.runAt(database, (sql, now) -> queue.promote(sql, clock.shared(now)));
        return promoted == DeliveryQueue.MAX_PROMOTIONS;
    }

    /** Releases claimed deliveries that were not attempted. */
    void release(List<ClaimedDelivery> deliveries) throws SQLException {
        QueueTransaction.run(database, sql -> queue.release(sql, deliveries));
    }

    private PollResult run(
            Sql sql, Instant now, ConcurrencyLimiter limiter, boolean fanOutEvents, boolean claimDeliveries)
            throws SQLException {
        var batch = fanOutEvents ? fanOut.run(sql) : FanOut.Batch.NONE;
        boolean queued = batch.deliveries() > 0;
        if (!claimDeliveries && !queued) {
            return new PollResult(false, batch.full(), false, List.of());
        }
        if (queued) {
            // The new deliveries may be in endpoint queues that this pass has read already.
            restart();
        }
        var monotonicNow = MonotonicClock.now();
        var page = nextPage(sql);
        var requests = limiter.allocate(inAllocationOrder(page), monotonicNow);
        if (requests.isEmpty() && limiter.isFull()) {
            // The cursor stays, so that this page is read again when a slot is free.
            return new PollResult(queued, batch.full(), false, List.of());
        }
        boolean morePages = !isPassComplete(page);
        pageCursor = page.size() < MAX_QUEUES_PER_PAGE ? EndpointQueue.FIRST : page.getLast();
        if (requests.isEmpty()) {
            return new PollResult(queued, batch.full(), morePages, List.of());
        }
        var claimed = queue.claim(sql, requests, monotonicNow, now, now.plus(lease));
        allocationCursor = requests.getLast().queue();
        int wanted = requests.stream().mapToInt(ClaimRequest::deliveries).sum();
        return new PollResult(queued, batch.full(), morePages || claimed.size() == wanted, claimed);
    }

    /** Reads the next page of endpoint queues. After the last queue, a page with room continues at the first one. */
    private List<EndpointQueue> nextPage(Sql sql) throws SQLException {
        var page = new ArrayList<>(queue.endpointQueues(sql, pageCursor, MAX_QUEUES_PER_PAGE));
        if (page.size() < MAX_QUEUES_PER_PAGE) {
            wrapped = true;
            if (!pageCursor.equals(EndpointQueue.FIRST)) {
                queue.endpointQueues(sql, EndpointQueue.FIRST, MAX_QUEUES_PER_PAGE - page.size()).stream()
                        .filter(endpoint -> endpoint.compareTo(pageCursor) <= 0)
                        .forEach(page::add);
            }
        }
        return page;
    }

    /** Whether the pass since {@link #restart} has returned to its start. */
    private boolean isPassComplete(List<EndpointQueue> page) {
        return wrapped && (page.size() < MAX_QUEUES_PER_PAGE || page.getLast().compareTo(passStart) >= 0);
    }

    /** The endpoint queues of active webhooks, starting after {@link #allocationCursor}. */
    private List<EndpointQueue> inAllocationOrder(List<EndpointQueue> page) {
        var active = new ArrayList<>(page.stream().filter(EndpointQueue::active).toList());
        int next = 0;
        while (next < active.size() && active.get(next).compareTo(allocationCursor) <= 0) {
            next++;
        }
        Collections.rotate(active, -next);
        return active;
    }
}
