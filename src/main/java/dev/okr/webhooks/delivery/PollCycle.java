package dev.okr.webhooks.delivery;

import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.Sql;
import dev.okr.webhooks.delivery.DeliveryQueue.EndpointQueue;
import dev.okr.webhooks.delivery.DeliveryQueue.Share;
import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the dispatcher does in the database, each step in a transaction of its own. For its one thread alone. */
@ApplicationScoped
class PollCycle {
    private static final int MAX_LANES = 512;

    /** A claim outlives the attempt by this much; then another replica takes over (contract, section 4). */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(10);

    private final AgroalDataSource database;
    private final FanOut fanOut;
    private final DeliveryQueue queue;
    private final UtcClock clock;
    private final Duration lease;

    /** Behind which lane the next round begins, when there are more than one round looks at. */
    private EndpointQueue lastSeen = EndpointQueue.FIRST;

    /** Behind which lane the next shares begin, so that each has its turn when there is not enough for all. */
    private EndpointQueue lastServed = EndpointQueue.FIRST;

    /** Where the rounds began, and whether they have been at the end of the lanes since. */
    private EndpointQueue begun = EndpointQueue.FIRST;

    private boolean turnedAround;

    PollCycle(
            AgroalDataSource database, FanOut fanOut, DeliveryQueue queue, UtcClock clock, DeliverySettings settings) {
        this.database = database;
        this.fanOut = fanOut;
        this.queue = queue;
        this.clock = clock;
        this.lease = settings.requestTimeout().plus(LEASE_MARGIN);
    }

    /**
     * What one round did.
     *
     * @param queued whether there are new deliveries
     * @param moreEvents whether there may be more events to fan out
     * @param moreRoom whether there may be more to claim: all that there was room for was there, or there are lanes
     *     that were not looked at
     */
    record PollResult(boolean queued, boolean moreEvents, boolean moreRoom, List<ClaimedDelivery> claimed) {}

    /** Begins anew to look at all lanes, from where it was left. */
    void begin() {
        begun = lastSeen;
        turnedAround = false;
    }

    /** Fans events out and claims what there is room for: one commit for both, before any attempt begins. */
    PollResult run(ConcurrencyLimiter slots, boolean fanningOut, boolean claiming) throws SQLException {
        return QueueTransaction.runAt(database, (sql, now) -> run(sql, clock.shared(now), slots, fanningOut, claiming));
    }

    /** Makes ready what is due. Returns whether there may be more of it. */
    boolean promote() throws SQLException {
        int promoted = QueueTransaction.runAt(database, (sql, now) -> queue.promote(sql, clock.shared(now)));
        return promoted == DeliveryQueue.MAX_PROMOTIONS;
    }

    /** Gives up claims of deliveries that were not attempted. */
    void handBack(List<ClaimedDelivery> deliveries) throws SQLException {
        QueueTransaction.run(database, sql -> queue.handBack(sql, deliveries));
    }

    private PollResult run(Sql sql, Instant now, ConcurrencyLimiter slots, boolean fanningOut, boolean claiming)
            throws SQLException {
        var batch = fanningOut ? fanOut.run(sql) : FanOut.Batch.NONE;
        boolean queued = batch.deliveries() > 0;
        if (!claiming && !queued) {
            return new PollResult(false, batch.full(), false, List.of());
        }
        if (queued) {
            // They may be in lanes that have been looked at before.
            begin();
        }
        var steadyNow = MonotonicClock.now();
        var lanes = lanes(sql);
        var shares = slots.shares(inTurn(lanes), steadyNow);
        if (shares.isEmpty() && slots.isFull()) {
            // These lanes are the first to be looked at when something is free.
            return new PollResult(queued, batch.full(), false, List.of());
        }
        boolean moreLanes = !hasSeenAll(lanes);
        lastSeen = lanes.size() < MAX_LANES ? EndpointQueue.FIRST : lanes.getLast();
        if (shares.isEmpty()) {
            return new PollResult(queued, batch.full(), moreLanes, List.of());
        }
        var claimed = queue.claim(sql, shares, steadyNow, now, now.plus(lease));
        lastServed = shares.getLast().lane();
        int wanted = shares.stream().mapToInt(Share::deliveries).sum();
        return new PollResult(queued, batch.full(), moreLanes || claimed.size() == wanted, claimed);
    }

    /** A page of lanes: those behind the last one that was seen and then, if there is room, those from the beginning. */
    private List<EndpointQueue> lanes(Sql sql) throws SQLException {
        var lanes = new ArrayList<>(queue.lanes(sql, lastSeen, MAX_LANES));
        if (lanes.size() < MAX_LANES) {
            turnedAround = true;
            if (!lastSeen.equals(EndpointQueue.FIRST)) {
                queue.lanes(sql, EndpointQueue.FIRST, MAX_LANES - lanes.size()).stream()
                        .filter(lane -> lane.compareTo(lastSeen) <= 0)
                        .forEach(lanes::add);
            }
        }
        return lanes;
    }

    /** Whether the rounds since {@link #begin} have come back to where they began. */
    private boolean hasSeenAll(List<EndpointQueue> page) {
        return turnedAround && (page.size() < MAX_LANES || page.getLast().compareTo(begun) >= 0);
    }

    /** The lanes of active webhooks, those behind the one that was served last before the others. */
    private List<EndpointQueue> inTurn(List<EndpointQueue> page) {
        var lanes = new ArrayList<>(page.stream().filter(EndpointQueue::active).toList());
        int next = 0;
        while (next < lanes.size() && lanes.get(next).compareTo(lastServed) <= 0) {
            next++;
        }
        Collections.rotate(lanes, -next);
        return lanes;
    }
}
