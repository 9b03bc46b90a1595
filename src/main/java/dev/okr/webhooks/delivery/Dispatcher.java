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
 * Moves events to webhooks: one thread fans events out and claims deliveries, and each attempt runs on a virtual
 * thread of its own, outside of any transaction. It works when something has happened that may be work (a commit, a
 * notification of another replica, the end of an attempt, a retry that is due) and, should all of these be lost, when
 * the schedule says so.
 */
@ApplicationScoped
class Dispatcher implements OutboxListener {
    private static final Logger LOG = Logger.getLogger(Dispatcher.class);

    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    /** Under load, what has happened in so long is worked off together: a round costs the same for one and for many. */
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(10);

    // Together less than the ten seconds in which a replica that is told to stop hands back what it has.
    private static final Duration MAX_STOP_CLAIMING = Duration.ofSeconds(2);
    private static final Duration MAX_STOP_ATTEMPTS = Duration.ofSeconds(5);
    private static final Duration MAX_STOP_RECORDING = Duration.ofSeconds(2);

    private final PollCycle rounds;
    private final Attempts attempts;
    private final Recorder recorder;
    private final Notifications notifications;
    private final UtcClock clock;
    private final boolean serving;
    private final ConcurrencyLimiter slots;
    private final Signal signal = new Signal();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("okr-webhook-dispatcher").unstarted(this::run);
    private volatile boolean stopping;

    Dispatcher(
            PollCycle rounds,
            Attempts attempts,
            Recorder recorder,
            Notifications notifications,
            UtcClock clock,
            DeliverySettings settings,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.rounds = rounds;
        this.attempts = attempts;
        this.recorder = recorder;
        this.notifications = notifications;
        this.clock = clock;
        this.serving = serving;
        this.slots = new ConcurrencyLimiter(settings.maxConcurrency(), settings.maxConcurrencyPerEndpoint());
    }

    void start(@Observes StartupEvent started) {
        if (!serving) {
            return;
        }
        recorder.start();
        thread.start();
        notifications.start(signal::raiseAll);
    }

    /** The safety net: whatever there may be to do is looked for. */
    @Scheduled(every = "{okr.webhooks.poll-every}")
    void poll() {
        signal.raiseAll();
    }

    @Override
    public void committed() {
        signal.raiseEvents();
    }

    /** Claims nothing more, gives back what has not begun, and waits for what has. */
    void stop(@Observes ShutdownEvent stopped) {
        if (!serving) {
            return;
        }
        stopping = true;
        notifications.stop();
        signal.raiseAll();
        join(thread, MAX_STOP_CLAIMING);
        handBack(slots.takeWaiting());
        awaitAttempts(Instant.now().plus(MAX_STOP_ATTEMPTS));
        var unfinished = slots.inFlight();
        if (!unfinished.isEmpty()) {
            LOG.infof("%d attempts did not end in time; other replicas repeat them", unfinished.size());
            handBack(List.copyOf(unfinished));
        }
        recorder.stop(MAX_STOP_RECORDING);
    }

    private void run() {
        while (!stopping) {
            try {
                var calls = signal.await(clock.now());
                work(calls);
                Thread.sleep(BETWEEN_ROUNDS);
            } catch (InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                LOG.warnf("deliveries wait, trying again: %s", SqlFailures.reason(e));
                signal.raiseAllAfter(AFTER_FAILURE);
            }
        }
    }

    private void work(Signal.Calls calls) throws SQLException {
        if (calls.due()) {
            boolean more = true;
            while (more && !stopping) {
                more = rounds.promote();
            }
            handBack(slots.takeStale(MonotonicClock.now()));
        }
        boolean events = calls.events();
        boolean room = calls.due() || calls.room();
        rounds.begin();
        while ((events || room) && !stopping) {
            var round = rounds.run(slots, events, room);
            slots.admit(round.claimed(), MonotonicClock.now()).forEach(this::begin);
            if (round.queued()) {
                notifications.send();
            }
            events = signal.takeEvents() || round.moreEvents();
            room = round.moreRoom();
        }
    }

    private void begin(ClaimedDelivery first) {
        Thread.ofVirtual().name("okr-webhook-attempt").start(() -> {
            var delivery = Optional.of(first);
            while (delivery.isPresent()) {
                delivery = attempt(delivery.get());
            }
        });
    }

    /** Makes an attempt, and returns what to attempt next in its place. */
    private Optional<ClaimedDelivery> attempt(ClaimedDelivery delivery) {
        boolean success = false;
        try {
            var result = attempts.make(delivery);
            success = result.outcome().succeeded();
            var dueAt = recorder.record(result);
            if (dueAt != null) {
                signal.raiseDueAt(dueAt);
            }
        } catch (RuntimeException e) {
            // Its lease brings it back; or, when the service is stopping, it has been handed back.
            LOG.logf(stopping ? Level.DEBUG : Level.ERROR, e, "an attempt of %s failed unexpectedly", delivery);
        }
        var next = slots.end(delivery, success, MonotonicClock.now());
        if (next.isEmpty() || slots.isRunningLow(delivery)) {
            signal.raiseRoom();
        }
        return next;
    }

    private void handBack(List<ClaimedDelivery> deliveries) {
        if (deliveries.isEmpty()) {
            return;
        }
        try {
            rounds.handBack(deliveries);
        } catch (SQLException e) {
            LOG.warnf("%d deliveries wait for the end of their lease: %s", deliveries.size(), SqlFailures.reason(e));
        }
    }

    private void awaitAttempts(Instant deadline) {
        try {
            while (!slots.inFlight().isEmpty() && Instant.now().isBefore(deadline)) {
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
