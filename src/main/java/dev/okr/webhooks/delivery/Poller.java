package dev.okr.webhooks.delivery;

import dev.okr.access.limits.RequestGate;
import dev.okr.platform.transactions.OrganizationSearch;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * One thread that visits the queues of organisations and starts the attempts of the deliveries that it claims. The
 * thread wakes up for a commit, a notification of another replica, a slot that deliveries may wait for, or a due retry.
 * It also wakes up on a schedule, in case these signals are lost.
 */
@ApplicationScoped
class Poller {
    private static final Logger LOG = Logger.getLogger(Poller.class);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    // The pause after a poll. Events that are committed during a poll or its pause are fanned out together. If the poll
    // had no deliveries, the pause is eight times as long as the poll, within these limits. So the poller leaves most
    // of the database's time to requests. The next delivery can wait for the longest pause.
    private static final Duration MIN_PAUSE = Duration.ofMillis(2);
    private static final Duration MAX_PAUSE = Duration.ofMillis(50);
    private static final int PAUSE_FACTOR = 8;

    /** The longest rest after a visit. The next visit waits for it. */
    private static final Duration MAX_REST = Duration.ofMillis(50);

    /** A poll that has taken this time no longer rests. Otherwise the last of many organisations would wait too long. */
    private static final Duration MAX_POLL_WITH_RESTS = Duration.ofMillis(500);

    // The termination grace period must cover the sum, after the shutdown delay and the shutdown timeout.
    private static final Duration MAX_STOP_CLAIMING = Duration.ofSeconds(2);
    private static final Duration MAX_STOP_ATTEMPTS = Duration.ofSeconds(5);
    private static final Duration MAX_STOP_RECORDING = Duration.ofSeconds(2);

    private final QueueDatabase database;
    private final Visits visits;
    private final Attempts attempts;
    private final Recorder recorder;
    private final Notifications notifications;
    private final WakeUp wakeUp;
    private final RequestGate gate;
    private final boolean serving;

    /** Only the thread of the poller uses it. */
    private final BackOff backOff = new BackOff();

    /** The result of the last search, see {@link Visits.Found}. Only the thread of the poller uses it. */
    private boolean claimNew = true;

    /** Whether deliveries were queued or claimed since the last pause. Only the thread of the poller uses it. */
    private boolean delivering;

    /** When the current poll began. Only the thread of the poller uses it. */
    private long pollStartedNanos;

    private final Thread thread =
            Thread.ofPlatform().daemon().name("okr-webhook-poller").unstarted(this::run);
    private volatile boolean stopping;

    /** Whether to forget the endpoints without attempts. */
    private volatile boolean forgetIdle;

    Poller(
            QueueDatabase database,
            Visits visits,
            Attempts attempts,
            Recorder recorder,
            Notifications notifications,
            WakeUp wakeUp,
            RequestGate gate,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.database = database;
        this.visits = visits;
        this.attempts = attempts;
        this.recorder = recorder;
        this.notifications = notifications;
        this.wakeUp = wakeUp;
        this.gate = gate;
        this.serving = serving;
    }

    void start(@Observes StartupEvent started) {
        if (!serving) {
            return;
        }
        recorder.start();
        thread.start();
        notifications.start(wakeUp::raise);
    }

    /** Wakes the thread on a schedule, because signals can be lost. */
    @Scheduled(every = "{okr.webhooks.poll-every}")
    void wakeOnSchedule() {
        forgetIdle = true;
        wakeUp.raise();
    }

    /**
     * Stops claiming, releases deliveries that have not started, and waits for attempts in flight. Releases those that
     * do not end in time.
     */
    void stop(@Observes ShutdownEvent stopped) {
        if (!serving) {
            return;
        }
        stopping = true;
        notifications.stop();
        wakeUp.raise();
        join();
        attempts.stop(MAX_STOP_ATTEMPTS);
        recorder.stop(MAX_STOP_RECORDING);
    }

    private void run() {
        while (!stopping) {
            try {
                var signal = wakeUp.await();
                long startedNanos = System.nanoTime();
                delivering = false;
                boolean more = poll(signal);
                while (more && !stopping) {
                    more = poll(new WakeUp.Signal(wakeUp.take().committed(), true));
                }
                Thread.sleep(delivering ? MIN_PAUSE : pauseAfter(Duration.ofNanos(System.nanoTime() - startedNanos)));
            } catch (InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                LOG.warnf("The queue of deliveries was not polled. The poller tries again: %s", SqlFailures.reason(e));
                pause();
            }
        }
    }

    private static Duration pauseAfter(Duration poll) {
        return Duration.ofNanos(
                Math.clamp(poll.multipliedBy(PAUSE_FACTOR).toNanos(), MIN_PAUSE.toNanos(), MAX_PAUSE.toNanos()));
    }

    /**
     * Visits each organisation that has work. It first visits the organisations for which this replica has committed
     * events. Then it searches for the others, if the signal asks for it, if deliveries were released, or if work may
     * be left. Later events of organisations with a backlog wait for the next poll.
     *
     * @return whether there may be more work
     */
    private boolean poll(WakeUp.Signal signal) throws SQLException {
        pollStartedNanos = System.nanoTime();
        if (forgetIdle) {
            forgetIdle = false;
            attempts.slots().forgetIdle(MonotonicClock.now());
        }
        boolean released = attempts.releaseStuck();
        var work = visits.committed(signal.committed(), excluded());
        var committed = visit(work);
        boolean more = committed.more;
        boolean search = signal.search()
                || released
                || more
                || !claimNew
                || work.size() < signal.committed().size();
        var next = search ? Optional.of(OrganizationSearch.FIRST) : Optional.<UUID>empty();
        while (next.isPresent() && !stopping) {
            var found = visits.find(next.get(), excluded(), committed.withoutEvents, attempts.slots());
            claimNew = found.claimNew();
            more |= visit(found.work()).more;
            next = found.next();
        }
        return attempts.releaseStuck() || more;
    }

    private List<UUID> excluded() {
        return backOff.organizations(MonotonicClock.now());
    }

    /**
     * Visits a page of organisations. If this replica commits an event of another organisation meanwhile, it visits
     * that organisation before the next one of the page. So the event does not wait for the backlogs of the page.
     */
    private Visited visit(List<Visits.Work> page) throws SQLException {
        var visited = new Visited(page);
        try {
            var all = page.iterator();
            while (all.hasNext() && !stopping) {
                visited.visitCommitted();
                visited.visit(all.next());
            }
        } finally {
            if (visited.queued) {
                notifications.send();
            }
        }
        return visited;
    }

    /** The visits of a page, and their results. */
    private final class Visited {
        /** Organisations that are not visited before others, because they have a backlog or are not visited now. */
        private final Set<UUID> waiting;

        /** The organisations that have no more events to fan out now, except postponed ones. */
        private final List<UUID> withoutEvents = new ArrayList<>();

        private boolean more;
        private boolean queued;

        Visited(List<Visits.Work> page) {
            waiting = new HashSet<>(excluded());
            page.forEach(work -> waiting.add(work.organizationId()));
        }

        /** Visits one organisation for which this replica has committed events, if there is one. */
        void visitCommitted() throws SQLException {
            var organization = wakeUp.takeCommitted(waiting);
            if (organization.isPresent()) {
                var work = visits.committed(List.of(organization.get()), List.of());
                more |= work.isEmpty();
                for (var each : work) {
                    visit(each);
                }
            }
        }

        void visit(Visits.Work work) throws SQLException {
            var organization = work.organizationId();
            if (!work.events() && attempts.slots().free() == 0) {
                return;
            }
            var visit = Poller.this.visit(work);
            more |= visit.isEmpty() || visit.get().more();
            queued |= visit.isPresent() && visit.get().queued();
            if (visit.isPresent() && !visit.get().moreEvents()) {
                withoutEvents.add(organization);
                waiting.remove(organization);
            } else {
                waiting.add(organization);
            }
        }
    }

    private Optional<Visits.Result> visit(Visits.Work work) throws SQLException {
        long startedNanos = System.nanoTime();
        var visit = database.organizations()
                .visit(work.organizationId(), () -> visits.visit(work, claimNew, attempts.slots()));
        if (visit.isPresent()) {
            backOff.succeeded(work.organizationId());
            delivering |= visit.get().queued() || !visit.get().claimed().isEmpty();
            attempts.start(visit.get().claimed());
            restAfter(System.nanoTime() - startedNanos);
        } else {
            backOff.failed(work.organizationId(), MonotonicClock.now());
        }
        return visit;
    }

    /**
     * Rests as long as a visit took, if requests use the database. Otherwise, the fan-out and the attempts of a few
     * organisations could use most of the processor time.
     */
    private void restAfter(long nanos) {
        boolean isEarly = System.nanoTime() - pollStartedNanos < MAX_POLL_WITH_RESTS.toNanos();
        if (isEarly && gate.isActive()) {
            LockSupport.parkNanos(Math.min(nanos, MAX_REST.toNanos()));
        }
    }

    private void join() {
        try {
            thread.join(MAX_STOP_CLAIMING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void pause() {
        try {
            Thread.sleep(AFTER_FAILURE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        wakeUp.raise();
    }
}
