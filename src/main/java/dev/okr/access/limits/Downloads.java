package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Connections;
import dev.okr.platform.http.Gzip;
import dev.okr.platform.transactions.Deadline;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jboss.logging.Logger;

/**
 * Responses that are streamed at the speed of the client. A replica runs only a few at once, and one per organisation.
 * Others wait for a permit. A download that takes too long is cut off, even if its client reads nothing. A slow one is
 * cut off earlier. If another organisation waits for a permit, a download that mostly waits for its client is cut off
 * earliest.
 */
public final class Downloads {
    private static final Logger LOG = Logger.getLogger(Downloads.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** Many proxies wait for a response for at most 60 seconds. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(30);

    /** Shorter than {@link #MAX_WAIT}, so that a request still waits when the permit is returned. */
    private static final Duration MIN_DURATION = Duration.ofSeconds(25);

    /** Longer than {@link #MAX_WAIT}, because the caller is checked again after the wait. */
    private static final Duration DEADLINE = Duration.ofSeconds(40);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private static final long MIN_BYTES_PER_SECOND = 1_024 * 1_024;

    private final ConcurrencyLimit permits;
    private final Duration minDuration;
    private final Duration maxSlowDuration;
    private final Duration maxDuration;

    private static final class Download {
        private final LongAdder bytes = new LongAdder();
        private final long startNanos = System.nanoTime();

        /** Whether it waits for its client since {@link #blockedSinceNanos}. Guarded by this. */
        private boolean isBlocked;

        private long blockedSinceNanos;

        /** The sum of its earlier waits for its client. Guarded by this. */
        private long blockedNanos;

        boolean isLongerThan(Duration duration) {
            return System.nanoTime() - startNanos >= duration.toNanos();
        }

        /** Whether it has run for a duration, and was slower than {@link #MIN_BYTES_PER_SECOND} on average. */
        boolean isSlowAfter(Duration duration) {
            long seconds = Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
            return isLongerThan(duration) && bytes.sum() < seconds * MIN_BYTES_PER_SECOND;
        }

        private synchronized void setBlocked(boolean isBlockedNow) {
            long now = System.nanoTime();
            blockedNanos += isBlocked ? now - blockedSinceNanos : 0;
            blockedSinceNanos = now;
            isBlocked = isBlockedNow;
        }

        /** Whether it has waited for its client for more than half of its time. */
        synchronized boolean isMostlyBlocked() {
            long now = System.nanoTime();
            long unfinishedNanos = isBlocked ? now - blockedSinceNanos : 0;
            return blockedNanos + unfinishedNanos > (now - startNanos) / 2;
        }

        /** An output that counts the bytes. */
        OutputStream counted(OutputStream output) {
            return new FilterOutputStream(output) {
                @Override
                public void write(byte[] buffer, int offset, int length) throws IOException {
                    out.write(buffer, offset, length);
                    bytes.add(length);
                }
            };
        }

        /** An output that measures how long the download waits for its client. */
        OutputStream timed(OutputStream output) {
            return new FilterOutputStream(output) {
                @Override
                public void write(byte[] buffer, int offset, int length) throws IOException {
                    setBlocked(true);
                    out.write(buffer, offset, length);
                    setBlocked(false);
                }

                @Override
                public void flush() throws IOException {
                    setBlocked(true);
                    out.flush();
                    setBlocked(false);
                }
            };
        }
    }

    /** @param maxSlowDuration for downloads that are slower than 1 MiB per second on average, before compression */
    public Downloads(int maxAtOnce, Duration maxDuration, Duration maxSlowDuration) {
        this(maxAtOnce, MAX_WAIT, MIN_DURATION, maxSlowDuration, maxDuration);
    }

    /** @param minDuration after this time, a download that mostly waits for its client is cut off if another one waits */
    Downloads(int maxAtOnce, Duration maxWait, Duration minDuration, Duration maxSlowDuration, Duration maxDuration) {
        this.permits = new ConcurrencyLimit(maxAtOnce, maxWait);
        this.minDuration = minDuration;
        this.maxSlowDuration = maxSlowDuration;
        this.maxDuration = maxDuration;
    }

    /**
     * Waits for a permit. The caller must hold no database connection. The content must begin a {@link Deadline} of its
     * own.
     *
     * @throws Failure if no permit is free in time, or if the client disconnects while it waits
     */
    public StreamingOutput start(UUID organization, RoutingContext request, StreamingOutput content) {
        // The body of a response to HEAD is never written, so the download would never end.
        if (request.request().method() == HttpMethod.HEAD) {
            return content;
        }
        Deadline.begin(DEADLINE);
        if (!permits.begin(organization)) {
            throw Failure.unavailable("Too many exports. Try again shortly.", RETRY_AFTER);
        }
        var download = new Download();
        // Also ends a download that never wrote anything.
        long timer = request.vertx().setPeriodic(CHECK_INTERVAL.toMillis(), id -> {
            if (mustEnd(download)) {
                Connections.closeNow(request);
            }
        });
        // True once the content is being written, or will never be written.
        var isStarted = new AtomicBoolean();
        Runnable end = () -> {
            request.vertx().cancelTimer(timer);
            permits.end(organization);
        };
        Runnable endUnlessStarted = () -> {
            if (isStarted.compareAndSet(false, true)) {
                end.run();
            }
        };
        // Nothing is written after the response has ended or its client has disconnected. The handler only sees what
        // happens later.
        request.addEndHandler(ended -> endUnlessStarted.run());
        if (request.response().ended() || request.response().closed()) {
            endUnlessStarted.run();
        }
        return output -> {
            if (isStarted.compareAndSet(false, true)) {
                try {
                    write(content, download.timed(output), request, download);
                } finally {
                    end.run();
                }
            }
        };
    }

    private boolean mustEnd(Download download) {
        return download.isLongerThan(maxDuration)
                || download.isSlowAfter(maxSlowDuration)
                || (download.isLongerThan(minDuration) && download.isMostlyBlocked() && permits.isWaitedFor());
    }

    /**
     * Writes the content. If this fails, the connection is closed, because the response has already started. The client
     * detects the incomplete file, because the end of the response is missing.
     */
    private static void write(StreamingOutput content, OutputStream output, RoutingContext request, Download download) {
        try {
            // The framework would compress it on the event loop, and many other requests would wait.
            if (Gzip.announce(request)) {
                try (var gzip = new Gzip.Output(output)) {
                    content.write(download.counted(gzip));
                    gzip.finish();
                }
            } else {
                content.write(download.counted(output));
            }
        } catch (IOException e) {
            LOG.debugf(e, "The client did not take a download");
            Connections.closeNow(request);
        } catch (RuntimeException e) {
            Connections.closeNow(request);
            throw e;
        }
    }
}
