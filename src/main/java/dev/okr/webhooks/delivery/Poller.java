package dev.okr.webhooks.delivery;

import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduled;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * One thread that visits the queues of organisations and starts the attempts of the deliveries that it claims. The
 * thread wakes up for a commit, a notification of another replica, the end of an attempt, or a due retry. It also wakes
 * up on a schedule, in case these signals are lost.
 */
@ApplicationScoped
class Poller {
    private static final Logger LOG = Logger.getLogger(Poller.class);

    private static final Duration BACK_OFF = Duration.ofSeconds(1);

    /** The pause after each poll. It batches events, since a poll costs about the same for one event and for many. */
    private static final Duration BETWEEN_POLLS = Duration.ofMillis(10);

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
    private final boolean serving;
    private final Thread thread =
            Thread.ofPlatform().daemon().name("okr-webhook-poller").unstarted(this::run);
    private volatile boolean stopping;

    /** Whether to release the deliveries that have waited too long for a slot. */
    private volatile boolean checkWaiting;

    Poller(
            QueueDatabase database,
            Visits visits,
            Attempts attempts,
            Recorder recorder,
            Notifications notifications,
            WakeUp wakeUp,
            @ConfigProperty(name = "okr.serving", defaultValue = "true") boolean serving) {
        this.database = database;
        this.visits = visits;
        this.attempts = attempts;
        this.recorder = recorder;
        this.notifications = notifications;
        this.wakeUp = wakeUp;
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
        checkWaiting = true;
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
                wakeUp.await();
                if (checkWaiting) {
                    checkWaiting = false;
                    attempts.releaseStale();
                }
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

    /** Visits each organisation that has work, until none has more. */
    private void poll() throws SQLException {
        boolean more = true;
        while (more && !stopping) {
            var found = visits.find(attempts.slots());
            more = found.more();
            boolean queued = false;
            for (var each : found.lanes().entrySet()) {
                if (!stopping) {
                    var organization = each.getKey();
                    var visit = database.forOrganization(
                            organization, () -> visits.visit(organization, each.getValue(), attempts.slots()));
                    visit.ifPresent(result -> attempts.start(result.claimed()));
                    more |= visit.isPresent() && visit.get().more();
                    queued |= visit.isPresent() && visit.get().queued();
                }
            }
            if (queued) {
                notifications.send();
            }
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
            Thread.sleep(BACK_OFF);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        wakeUp.raise();
    }
}
