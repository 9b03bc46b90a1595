package dev.okr.webhooks.delivery;

import dev.okr.events.OutboxListener;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

/**
 * The poller. One thread fans out events and claims deliveries. Each attempt runs on its own virtual thread, outside
 * any transaction. The thread wakes up for a commit, a notification of another replica, the end of an attempt, or a due
 * retry. It also wakes up on a schedule, in case these signals are lost.
 */
@ApplicationScoped
class Dispatcher implements OutboxListener {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class);

    private static final Duration BACK_OFF = Duration.ofSeconds(1);

    /**
     * The pause after each poll. It batches events, since a poll cycle costs about the same for one event and for many.
     */
    private static final Duration BETWEEN_CYCLES = Duration.ofMillis(10);

    // The termination grace period must cover the sum, after the shutdown delay and the shutdown timeout.
    private static final Duration MAX_STOP_CLAIMING = Duration.ofSeconds(2);
    private static final Duration MAX_STOP_ATTEMPTS = Duration.ofSeconds(5);
    private static final Duration MAX_STOP_RECORDING = Duration.ofSeconds(2);

    private final PollCycle pollCycle;
    private final AttemptExecutor attempts;
    private final Recorder recorder;
    private final Notifications notifications;
    private final UtcClock clock;
    private final boolean serving;
    private final ConcurrencyLimiter limiter;
    private final Signal signal = new Signal();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("okr-webhook-dispatcher").unstarted(this::run);
    private volatile boolean stopping;

    Dispatcher(
            PollCycle pollCycle,
            AttemptExecutor attempts,
            Recorder recorder,
            Notifications notifications,
            UtcClock clock,
            DeliverySettings settings,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.pollCycle = pollCycle;
        this.attempts = attempts;
        this.recorder = recorder;
        this.notifications = notifications;
        this.clock = clock;
        this.serving = serving;
        this.limiter = new ConcurrencyLimiter(settings.maxConcurrency(), settings.maxConcurrencyPerEndpoint());
    }

    void start(@Observes StartupEvent started) {
        if (!serving) {
            return;
        }
        recorder.start();
        thread.start();
        notifications.start(signal::raiseAll);
    }

    /** Wakes the thread to look for all kinds of work. The schedule covers lost signals. */
    @Scheduled(every = "{okr.webhooks.poll-every}")
    void wake() {
        signal.raiseAll();
    }

    @Override
    public void committed() {
        signal.raiseEvents();
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
        signal.raiseAll();
        join(thread, MAX_STOP_CLAIMING);
        release(limiter.removeWaiting());
        awaitAttempts(Instant.now().plus(MAX_STOP_ATTEMPTS));
        var unfinished = limiter.inFlight();
        if (!unfinished.isEmpty()) {
            LOG.infof("%d attempts did not end in time, another replica repeats them", unfinished.size());
            release(List.copyOf(unfinished));
        }
        recorder.stop(MAX_STOP_RECORDING);
    }

    private void run() {
        while (!stopping) {
            try {
                poll(signal.await(clock.now()));
                Thread.sleep(BETWEEN_CYCLES);
            } catch (InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                LOG.warnf("cannot poll for deliveries, retrying: %s", SqlFailures.reason(e));
                signal.raiseAllAfter(BACK_OFF);
            }
        }
    }

    private void poll(Signal.Wakeup wakeup) throws SQLException {
        if (wakeup.due()) {
            boolean more = true;
            while (more && !stopping) {
                more = pollCycle.promote();
            }
            release(limiter.removeStale(MonotonicClock.now()));
        }
        boolean events = wakeup.events();
        boolean capacity = wakeup.due() || wakeup.capacity();
        pollCycle.restart();
        while ((events || capacity) && !stopping) {
            var result = pollCycle.run(limiter, events, capacity);
            limiter.admit(result.claimed(), MonotonicClock.now()).forEach(this::startAttempts);
            if (result.queued()) {
                notifications.send();
            }
            events = signal.takeEvents() || result.moreEvents();
            capacity = result.moreDeliveries();
        }
    }

    private void startAttempts(ClaimedDelivery first) {
        Thread.ofVirtual().name("okr-webhook-attempt").start(() -> {
            var delivery = Optional.of(first);
            while (delivery.isPresent()) {
                delivery = attempt(delivery.get());
            }
        });
    }

    /** Makes an attempt and returns the next delivery for its slot. */
    private Optional<ClaimedDelivery> attempt(ClaimedDelivery delivery) {
        boolean success = false;
        try {
            var result = attempts.execute(delivery);
            success = result.outcome().succeeded();
            var dueAt = recorder.record(result);
            if (dueAt != null) {
                signal.raiseDueAt(dueAt);
            }
        } catch (RuntimeException e) {
            // The delivery is attempted again when its lease expires, or earlier if stop() has released it. During a
            // shutdown, failures are expected.
            LOG.logf(stopping ? Level.DEBUG : Level.ERROR, e, "attempt of delivery %s failed unexpectedly", delivery);
        }
        var next = limiter.end(delivery, success, MonotonicClock.now());
        if (next.isEmpty() || limiter.shouldPrefetch(delivery)) {
            signal.raiseCapacity();
        }
        return next;
    }

    private void release(List<ClaimedDelivery> deliveries) {
        if (deliveries.isEmpty()) {
            return;
        }
        try {
            pollCycle.release(deliveries);
        } catch (SQLException e) {
            LOG.warnf(
                    "cannot release %d deliveries, they wait until their leases expire: %s",
                    deliveries.size(), SqlFailures.reason(e));
        }
    }

    private void awaitAttempts(Instant deadline) {
        try {
            while (!limiter.inFlight().isEmpty() && Instant.now().isBefore(deadline)) {
                Thread.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread, Duration limit) {
        try {
            thread.join(limit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
