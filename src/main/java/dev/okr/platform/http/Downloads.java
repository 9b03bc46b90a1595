package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.core.StreamingOutput;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jboss.logging.Logger;

/**
 * Responses that are streamed at the speed of the client. A replica runs only a few at once, and only one per
 * organisation. A download that takes too long is cut off, even if its client reads nothing. A slow one is cut off
 * earlier, and earliest if another organisation needs its place.
 */
public final class Downloads {
    private static final Logger LOG = Logger.getLogger(Downloads.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** After this time, a slow download is cut off if another organisation needs its place. */
    private static final Duration MIN_DURATION = Duration.ofSeconds(30);

    /** An organisation whose last download has ended within this time lets others go first. */
    private static final Duration OTHERS_FIRST = Duration.ofMinutes(1);

    /** A client tries again within this time after it was rejected. */
    private static final Duration RETRIED_WITHIN = Duration.ofSeconds(10);

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

    private static final long MIN_BYTES_PER_SECOND = 1_024 * 1_024;

    private final int maxAtOnce;
    private final Duration maxDuration;
    private final Duration maxSlowDuration;

    /** The downloads of organisations. Guarded by this. */
    private final Map<UUID, Download> running = new HashMap<>();

    /** When the last download of each organisation ended. Guarded by this. */
    private final Map<UUID, Long> endedNanos = new HashMap<>();

    /** When organisations were last rejected that have had no download since. Guarded by this. */
    private final Map<UUID, Long> rejectedNanos = new HashMap<>();

    private enum State {
        WAITING,
        WRITING,
        OVER
    }

    private static final class Download {
        private final RoutingContext request;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
        private final LongAdder bytes = new LongAdder();
        private final long startNanos = System.nanoTime();

        Download(RoutingContext request) {
            this.request = request;
        }

        boolean isLongerThan(Duration duration) {
            return System.nanoTime() - startNanos >= duration.toNanos();
        }

        /** Whether it has run for a duration, and was slower than {@link #MIN_BYTES_PER_SECOND} on average. */
        boolean isSlowAfter(Duration duration) {
            long seconds = Duration.ofNanos(System.nanoTime() - startNanos).toSeconds();
            return isLongerThan(duration) && bytes.sum() < seconds * MIN_BYTES_PER_SECOND;
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
    }

    /** @param maxSlowDuration for downloads that are slower than 1 MiB per second on average, before compression */
    public Downloads(int maxAtOnce, Duration maxDuration, Duration maxSlowDuration) {
        this.maxAtOnce = maxAtOnce;
        this.maxDuration = maxDuration;
        this.maxSlowDuration = maxSlowDuration;
    }

    /** @throws Failure if too many downloads are running */
    public StreamingOutput start(UUID organization, RoutingContext request, StreamingOutput content) {
        // The body of a response to HEAD is never written, so the download would never end.
        if (request.request().method() == HttpMethod.HEAD) {
            return content;
        }
        var download = new Download(request);
        begin(organization, download);
        Runnable end = () -> {
            if (download.state.getAndSet(State.OVER) != State.OVER) {
                end(organization, download);
            }
        };
        // Also ends a download that never wrote anything.
        long timer = request.vertx().setPeriodic(CHECK_INTERVAL.toMillis(), id -> {
            if (download.isLongerThan(maxDuration) || download.isSlowAfter(maxSlowDuration)) {
                request.vertx().cancelTimer(id);
                Connections.closeNow(request);
                end.run();
            }
        });
        Runnable endUnlessWriting = () -> {
            if (download.state.compareAndSet(State.WAITING, State.OVER)) {
                request.vertx().cancelTimer(timer);
                end(organization, download);
            }
        };
        // The framework does not write to a client that has disconnected. The handler only sees a later disconnection.
        request.addEndHandler(ended -> endUnlessWriting.run());
        if (request.response().closed()) {
            endUnlessWriting.run();
        }
        return output -> {
            if (!download.state.compareAndSet(State.WAITING, State.WRITING)) {
                return;
            }
            try {
                write(content, output, download);
            } finally {
                request.vertx().cancelTimer(timer);
                end.run();
            }
        };
    }

    /**
     * Writes the content. If this fails, the connection is closed, because the response has already started. The client
     * detects the incomplete file, because the end of the response is missing.
     */
    private static void write(StreamingOutput content, OutputStream output, Download download) {
        var request = download.request;
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

    private void begin(UUID organization, Download download) {
        take(organization, download).ifPresent(slow -> Connections.closeNow(slow.request));
    }

    /** Takes a place. Returns the slow download that had this place until now, if any. */
    private synchronized Optional<Download> take(UUID organization, Download download) {
        if (running.containsKey(organization)) {
            throw Failure.unavailable("Another export is running. Try again shortly.", RETRY_AFTER);
        }
        var slow = Optional.<Map.Entry<UUID, Download>>empty();
        if (running.size() >= maxAtOnce) {
            slow = running.entrySet().stream()
                    .filter(each -> each.getValue().isSlowAfter(MIN_DURATION))
                    .findFirst();
        }
        boolean isFull = running.size() >= maxAtOnce && slow.isEmpty();
        if (isFull || othersAreFirst(organization)) {
            rejectedNanos.put(organization, System.nanoTime());
            throw Failure.unavailable("Too many exports. Try again shortly.", RETRY_AFTER);
        }
        rejectedNanos.remove(organization);
        slow.ifPresent(each -> running.remove(each.getKey()));
        running.put(organization, download);
        return slow.map(Map.Entry::getValue);
    }

    /** Otherwise, organisations that repeat their downloads could use all places all the time. */
    private boolean othersAreFirst(UUID organization) {
        long now = System.nanoTime();
        endedNanos.values().removeIf(ended -> now - ended > OTHERS_FIRST.toNanos());
        rejectedNanos.values().removeIf(rejected -> now - rejected > RETRIED_WITHIN.toNanos());
        return endedNanos.containsKey(organization) && !endedNanos.keySet().containsAll(rejectedNanos.keySet());
    }

    private synchronized void end(UUID organization, Download download) {
        endedNanos.put(organization, System.nanoTime());
        running.remove(organization, download);
    }
}
