package dev.okr.access.limits;

import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.transactions.LockTimeout;
import dev.okr.platform.transactions.Restart;
import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits the requests that can need a large part of the heap. Their rows can have long texts, or their bodies are large.
 * A replica runs only a few of them at once. For each limit of this class, an organisation runs only one. Otherwise
 * concurrent requests could fill the heap.
 */
@ApplicationScoped
public class LargeRequests {
    private static final long MAX_AT_ONCE = 2;

    /** More than one request needs, because waiting responses and other limits also use the heap. */
    private static final long HEAP_FOR_EACH = 160L << 20;

    /** Most changes have smaller bodies. Only batches and long texts have larger ones. */
    private static final int MAX_BYTES_OF_SMALL_BODY = 16 << 10;

    /** Longer than the largest request to carry objectives over, which takes a few seconds on a busy machine. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(7);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    /** The key of the {@link Permit} in the routing context. */
    private static final String PERMIT = "okr.large";

    /** The largest request to carry objectives over needs about 40 MiB of heap. */
    private static final int LONG_RUNNING_AT_ONCE = 1;

    /** Not lower with a small heap, because events are written in parts. */
    private static final int EVENTS_AT_ONCE = 2;

    private final ConcurrencyLimit longRunning = new ConcurrencyLimit(LONG_RUNNING_AT_ONCE, MAX_WAIT);
    private final ConcurrencyLimit events = new ConcurrencyLimit(EVENTS_AT_ONCE, MAX_WAIT);
    private final RequestGate gate;
    private final Caller caller;
    private final CurrentVertxRequest http;

    LargeRequests(RequestGate gate, Caller caller, CurrentVertxRequest http) {
        this.gate = gate;
        this.caller = caller;
        this.http = http;
    }

    /** Not a constant, because a native image would contain the memory of the machine that built it. */
    static ConcurrencyLimit newLimit() {
        long atOnce = Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_FOR_EACH, 1, MAX_AT_ONCE);
        return new ConcurrencyLimit((int) atOnce, MAX_WAIT);
    }

    /**
     * Waits until the current request may run. The request counts as running until its response is in memory.
     *
     * @throws Failure if other large requests run for too long
     * @throws Restart if the request must wait and has begun a transaction. The transaction ends before the wait, so
     *     the request holds no connection and no locks while it waits.
     */
    public void await() {
        await(gate.large());
    }

    /**
     * Waits like {@link #await()} before the current request carries objectives over. This limit is separate, so other
     * large requests do not wait for it.
     *
     * @throws Failure if other such requests run for too long
     * @throws Restart as in {@link #await()}
     */
    public void awaitLongRunning() {
        await(longRunning);
    }

    /**
     * Waits before the current request writes many long events. This limit is separate from {@link #await()}, so other
     * large requests do not wait for it. The request then returns its permit of {@link #await()}, because writing can take
     * several seconds.
     *
     * @throws Failure if other such requests run for too long. If the request has a permit of {@link #await()}, it does
     *     not wait, because its parsed body would need memory meanwhile.
     * @throws Restart as in {@link #await()}
     */
    public void awaitEvents() {
        await(events);
    }

    private void await(ConcurrencyLimit limit) {
        var context = http.getCurrent();
        // A repeated transaction calls this method again. A request that carries over or writes many events needs no
        // other permit.
        if (hasPermit(limit, context) || hasPermit(longRunning, context) || hasPermit(events, context)) {
            return;
        }
        var organizationId = caller.organizationId();
        if (!QuarkusTransaction.isActive()) {
            await(gate, limit, context, organizationId);
        } else if (limit.tryBegin(organizationId)) {
            admit(gate, limit, context, organizationId);
        } else if (hasPermit(gate.large(), context)) {
            throw refused(gate);
        } else {
            throw Restart.after(() -> await(gate, limit, context, organizationId));
        }
    }

    /**
     * Waits like {@link #awaitLongRunning()} if the operation is {@link LongRunning}, and like {@link #await()} if the
     * request has a large body. Call it for each change before the body is parsed. The parsed objects need several times
     * the bytes of the body.
     *
     * @throws Failure if other large requests run for too long
     */
    public void awaitForBody() {
        if (RequestGate.isLongRunning()) {
            awaitLongRunning();
        } else {
            awaitForBody(http.getCurrent(), caller.organizationId());
        }
    }

    /** Like {@link #awaitForBody()}, for a request whose {@link Caller} is not set. It must have a turn. */
    public void awaitForBody(RoutingContext context, UUID organizationId) {
        if (hasLargeBody(context)) {
            await(gate, gate.large(), context, organizationId);
        }
    }

    static boolean hasLargeBody(RoutingContext context) {
        var body = context.body().buffer();
        return body != null && body.length() > MAX_BYTES_OF_SMALL_BODY && body.length() <= JsonBody.MAX_BYTES;
    }

    /**
     * Checks whether a large page may be read, and then waits like {@link #await()}.
     *
     * @throws Failure if the waiting responses leave too little memory, or if other large requests run for too long
     */
    public void awaitPage() {
        requireMemoryForPage();
        await();
    }

    /** Waits for a permit. The permit ends with the turn. The request must have a turn and no transaction. */
    static void await(RequestGate gate, ConcurrencyLimit limit, RoutingContext context, UUID organizationId) {
        if (hasPermit(limit, context)) {
            return;
        }
        if (!limit.begin(organizationId)) {
            throw refused(gate);
        }
        admit(gate, limit, context, organizationId);
    }

    private static Failure refused(RequestGate gate) {
        return gate.refuse("Too many large requests are running. Try again shortly.", RETRY_AFTER);
    }

    private static boolean hasPermit(ConcurrencyLimit limit, RoutingContext context) {
        return context.get(PERMIT) instanceof Permit permit && permit.limit == limit;
    }

    /** The only permit of a request. The thread of the request or the thread that ends its turn can end it. */
    private static final class Permit {
        private final ConcurrencyLimit limit;
        private final UUID organizationId;
        private final AtomicBoolean isEnded = new AtomicBoolean();

        Permit(ConcurrencyLimit limit, UUID organizationId) {
            this.limit = limit;
            this.organizationId = organizationId;
        }

        void end() {
            if (!isEnded.getAndSet(true)) {
                limit.end(organizationId);
            }
        }
    }

    private static void admit(RequestGate gate, ConcurrencyLimit limit, RoutingContext context, UUID organizationId) {
        if (context.get(PERMIT) instanceof Permit before) {
            before.end();
        }
        var permit = new Permit(limit, organizationId);
        context.put(PERMIT, permit);
        // Before the next step, because that fails if the client has disconnected.
        gate.whenTurnEnds(context, () -> {
            if (context.get(PERMIT) == permit) {
                context.remove(PERMIT);
            }
            permit.end();
        });
        // Otherwise, large requests of others could also wait for the locks of this organisation, for example while
        // its import runs.
        LockTimeout.shorten();
    }

    /**
     * Call it before a change whose response is large. The response cannot be rejected after the change.
     *
     * @param bytes an upper bound of its size
     * @throws Failure if it does not fit beside the waiting responses
     */
    public void requireMemoryForResponse(long bytes) {
        gate.requireMemoryForResponse(caller.organizationId(), bytes);
    }

    /** @throws Failure if the waiting responses leave too little memory for a large page */
    public void requireMemoryForPage() {
        gate.requireMemoryForPage(caller.organizationId());
    }
}
