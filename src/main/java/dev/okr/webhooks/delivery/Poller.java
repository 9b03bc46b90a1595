package dev.okr.webhooks.delivery;

import dev.okr.events.OutboxListener;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;
import org.jboss.logging.Logger.Level;

/**
 * One thread that fans out events and claims deliveries. Each attempt runs on its own virtual thread, outside any
 * transaction. The thread wakes up for a commit, a notification of another replica, the end of an attempt, or a due
 * retry. It also wakes up on a schedule, in case these signals are lost.
 */
@ApplicationScoped
class Poller implements OutboxListener {
    private static final Logger LOG = Logger.getLogger(Poller.class);

    private static final Duration BACK_OFF = Duration.ofSeconds(1);

    /** Batches the work that arrives within this time, since a poll costs the same for one event and for many. */
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(10);

    // The sum stays below the ten seconds that a stopping replica has to release its deliveries.
    private static final Duration MAX_STOP_CLAIMING = Duration.ofSeconds(2);
    private static final Duration MAX_STOP_ATTEMPTS = Duration.ofSeconds(5);
    private static final Duration MAX_STOP_RECORDING = Duration.ofSeconds(2);

    private final QueueDatabase database;
    private final FanOut fanOut;
    private final Claims claims;
    private final Attempts attempts;
    private final Recorder recorder;
    private final Notifications notifications;
    private final boolean serving;
    private final Slots slots;
    private final WakeUp wakeUp = new WakeUp();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("okr-webhook-poller").unstarted(this::run);
    private volatile boolean stopping;

    /** Whether to release the deliveries that have waited too long for a slot. */
    private volatile boolean checkWaiting;

    /** Organisations whose last step failed, and when the next one may start, by {@link MonotonicClock}. */
    private final Map<UUID, Instant> failedUntil = new HashMap<>();

    Poller(
            QueueDatabase database,
            FanOut fanOut,
            Claims claims,
            Attempts attempts,
            Recorder recorder,
            Notifications notifications,
            DeliverySettings settings,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.database = database;
        this.fanOut = fanOut;
        this.claims = claims;
        this.attempts = attempts;
        this.recorder = recorder;
        this.notifications = notifications;
        this.serving = serving;
        this.slots = new Slots(settings.maxConcurrency(), settings.maxConcurrencyPerEndpoint());
    }

    void start(@Observes StartupEvent started) {
        if (!serving) {
            return;
        }
        recorder.start(wakeUp);
        thread.start();
        notifications.start(this::wake);
    }

    /** Looks for work of which the signal was lost. */
    @Scheduled(every = "{okr.webhooks.poll-every}")
    void wakeOnSchedule() {
        checkWaiting = true;
        wake();
    }

    void wake() {
        wakeUp.raise();
    }

    @Override
    public void committed() {
        wake();
    }

    /** Stops claiming, releases deliveries that have not started, and waits for attempts in flight. */
    void stop(@Observes ShutdownEvent stopped) {
        if (!serving) {
            return;
        }
        stopping = true;
        notifications.stop();
        wake();
        join();
        release(slots.removeWaiting());
        awaitAttempts(Instant.now().plus(MAX_STOP_ATTEMPTS));
        var unfinished = slots.inFlight();
        if (!unfinished.isEmpty()) {
            LOG.infof("%d attempts did not end in time; another replica repeats them", unfinished.size());
            release(unfinished);
        }
        recorder.stop(MAX_STOP_RECORDING);
    }

    private void run() {
        while (!stopping) {
            try {
                wakeUp.await();
                poll();
                Thread.sleep(BETWEEN_POLLS);
            } catch (InterruptedException e) {
                return;
            } catch (SQLException | RuntimeException e) {
                LOG.warnf("cannot poll for deliveries, retrying: %s", SqlFailures.reason(e));
                pause();
            }
        }
    }

    private void poll() throws SQLException {
        if (checkWaiting) {
            checkWaiting = false;
            release(slots.removeStale(MonotonicClock.now()));
        }
        boolean more = true;
        while (more && !stopping) {
            var databaseNow = database.read(database::now);
            var events = fanOut(databaseNow);
            boolean claimed = claim(databaseNow);
            if (events.deliveries() > 0) {
                notifications.send();
            }
            more = events.more() || claimed;
        }
    }

    /** Fans out a batch of events of each organisation. */
    private FanOut.Batch fanOut(Instant databaseNow) throws SQLException {
        var all = FanOut.Batch.NONE;
        var page = fanOut.organizations(FanOut.FIRST);
        while (!page.organizations().isEmpty() && !stopping) {
            for (var organization : page.organizations()) {
                var batch = step(organization, () -> fanOut.run(organization, databaseNow));
                all = all.plus(batch.orElse(FanOut.Batch.NONE));
            }
            page = page.last()
                    ? FanOut.Page.EMPTY
                    : fanOut.organizations(page.organizations().getLast());
        }
        return all;
    }

    /** Claims deliveries of due lanes and starts attempts. Returns whether it claimed any. */
    private boolean claim(Instant databaseNow) throws SQLException {
        boolean claimed = false;
        if (slots.isFull()) {
            return false;
        }
        for (var found : claims.find(slots, databaseNow).entrySet()) {
            if (!slots.isFull() && !stopping) {
                var organization = found.getKey();
                var batch = step(organization, () -> claims.claim(organization, found.getValue(), slots, databaseNow));
                var deliveries = batch.orElse(List.of());
                slots.admit(deliveries, MonotonicClock.now()).forEach(this::startAttempts);
                claimed |= !deliveries.isEmpty();
            }
        }
        return claimed;
    }

    /** Work on the queue of one organisation. */
    @FunctionalInterface
    private interface Step<T> {
        T run() throws SQLException;
    }

    /** Runs a step, unless a step of the organisation has just failed. A failure does not stop other organisations. */
    private <T> Optional<T> step(UUID organization, Step<T> step) {
        var failed = failedUntil.get(organization);
        if (failed != null && MonotonicClock.now().isBefore(failed)) {
            return Optional.empty();
        }
        try {
            var result = step.run();
            failedUntil.remove(organization);
            return Optional.of(result);
        } catch (SQLException | RuntimeException e) {
            LOG.warnf("cannot poll for deliveries of an organisation, retrying: %s", SqlFailures.reason(e));
            failedUntil.put(organization, MonotonicClock.now().plus(BACK_OFF));
            wakeUp.raiseAfter(BACK_OFF);
            return Optional.empty();
        }
    }

    private void startAttempts(Attempt first) {
        Thread.ofVirtual().name("okr-webhook-attempt").start(() -> {
            var attempt = Optional.of(first);
            while (attempt.isPresent()) {
                attempt = attempt(attempt.get());
            }
        });
    }

    /** Makes an attempt and returns the next one for its slot. */
    private Optional<Attempt> attempt(Attempt attempt) {
        boolean success = false;
        try {
            var made = attempts.make(attempt);
            success = made.outcome().succeeded();
            recorder.record(made);
        } catch (RuntimeException e) {
            // The delivery is attempted again when its lease expires. While stopping, it has been released already.
            LOG.logf(stopping ? Level.DEBUG : Level.ERROR, e, "attempt of delivery %s failed unexpectedly", attempt);
        }
        var next = slots.end(attempt, success, MonotonicClock.now());
        if (next.isEmpty() || slots.shouldPrefetch(attempt)) {
            wakeUp.raise();
        }
        return next;
    }

    private void release(Collection<Attempt> deliveries) {
        deliveries.stream()
                .collect(Collectors.groupingBy(Attempt::organizationId))
                .forEach((organization, ofOne) -> {
                    try {
                        claims.release(organization, ofOne);
                    } catch (SQLException e) {
                        LOG.warnf(
                                "cannot release %d deliveries, they wait until their leases expire: %s",
                                ofOne.size(), SqlFailures.reason(e));
                    }
                });
    }

    private void awaitAttempts(Instant deadline) {
        while (!slots.inFlight().isEmpty() && Instant.now().isBefore(deadline)) {
            sleep(Duration.ofMillis(20));
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
        sleep(BACK_OFF);
        wakeUp.raise();
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
