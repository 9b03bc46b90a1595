package dev.okr.access.limits;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.JsonWriter;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.CallerCheck;
import dev.okr.platform.transactions.Deadline;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.ManagementInterface;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.smallrye.common.vertx.ContextLocals;
import io.smallrye.common.vertx.VertxContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.container.CompletionCallback;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.core.CurrentRequestManager;
import org.jboss.resteasy.reactive.server.mapping.RuntimeResource;
import org.jspecify.annotations.Nullable;

/**
 * Gives each request a place, and rejects requests above the limits. Otherwise they would wait for the database until
 * their clients give up. An API request gets its place after its key is known and its body has arrived. Addresses,
 * organisations and keys each have a share of the places. Other requests have their own places, so they cannot use
 * those of the API. A place is returned after the client has taken the response ({@link Place}).
 */
@ApplicationScoped
public class RequestGate {
    private static final Logger LOG = Logger.getLogger(RequestGate.class);

    /** Runs after the filter that sets the request id (10,000). */
    private static final int WATCH_PRIORITY = 9_950;

    /** Runs after the console's gate (9,000), which adds headers to rejected requests. Runs before all other work. */
    private static final int ADMISSION_PRIORITY = 8_900;

    private static final int BEFORE_EVERYTHING = Integer.MIN_VALUE;

    /** The maximum time that a request keeps its place after its client has disconnected. */
    private static final long MAX_REST_MILLIS = 10_000;

    /** The time between two checks for late requests. So a request may wait this much longer than its deadline. */
    private static final long MILLIS_BETWEEN_EXPIRIES = 500;

    /** An eighth of the places is only for organisations with at most {@link #FEW_REQUESTS} requests. */
    private static final int PART_FOR_FEW_REQUESTS = 8;

    private static final int FEW_REQUESTS = 8;

    private static final String EVERYBODY = "";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    private static final String PLACE = "okr.place";

    /** The key of the {@link CurrentTurn} in the Vert.x context of the request. */
    private static final String TURN = "okr.turn";

    /**
     * The maximum wait for another turn. If all turns of an organisation wait for its locks, this request waits too. It
     * may hold a permit that others wait for. Longer than a garbage collection, which can take half a second.
     */
    private static final long MAX_MILLIS_FOR_NEXT_TURN = 1_000;

    private final LimitSettings settings;
    private final Problems problems;
    private final Counter shed;

    private final AnonymousPlaces anonymous;
    private final Lookups lookups;
    private final Shares<String> ofNetworks = new Shares<>();
    private final Shares<String> underWay = new Shares<>();
    private final Shares<UUID> credentials = new Shares<>();
    private final Turns<UUID> turns;

    private final ConcurrencyLimit large = LargeRequests.newLimit();

    /** Separate from {@link #large}, because the requests of an operation with large responses can also be small. */
    private final ConcurrencyLimit largeResponses = LargeRequests.newLimit();

    /** Separate from {@link #large}, because a search can take seconds. */
    private final ConcurrencyLimit largeSearches = LargeRequests.newLimit();

    private final LargeOperations largeOperations = new LargeOperations();

    private final RequestBodies bodies = new RequestBodies();
    private final ResponseMemory responses;
    private final ByteQuotas byteQuotas;
    private long expiries;

    private record CurrentTurn(
            RequestGate gate,
            RoutingContext context,
            UUID organizationId,
            @Nullable Object operation,
            boolean isSlow) {}

    RequestGate(LimitSettings settings, ByteQuotas byteQuotas, Problems problems, MeterRegistry metrics) {
        this.settings = settings;
        this.problems = problems;
        this.byteQuotas = byteQuotas;
        this.turns = new Turns<>(turns(settings.databaseConnections));
        this.anonymous = new AnonymousPlaces(settings.deadline);
        // Known keys and other lookups each get a sixth of the connections. That is enough, because a lookup is short.
        this.lookups = new Lookups(Math.max(1, settings.databaseConnections / 6), settings.deadline);
        var ended = Counter.builder("okr.responses.ended")
                .description("Large responses that were cut off because another organisation needed their memory")
                .register(metrics);
        this.responses = new ResponseMemory(Runtime.getRuntime().maxMemory(), ended::increment);
        this.shed = Counter.builder("okr.requests.shed")
                .description("Requests that were rejected because of the limits on concurrent requests")
                .register(metrics);
        metrics.gauge("okr.requests.under.way", underWay, each -> each.used(EVERYBODY));
    }

    void start(@Observes StartupEvent event, Vertx vertx) {
        expiries = vertx.setPeriodic(MILLIS_BETWEEN_EXPIRIES, id -> turns.expire(settings.deadline));
        ClientWatch.configure(
                settings,
                new ConnectionLimit(settings.connectionsPerAddress, settings.connections, settings.trustedProxies),
                this::refuseInvalid);
    }

    /** In dev mode, Vert.x and its timers survive a reload, but this object does not. */
    void stop(@Observes ShutdownEvent event, Vertx vertx) {
        vertx.cancelTimer(expiries);
    }

    void register(@Observes Filters filters) {
        filters.register(this::watch, WATCH_PRIORITY);
        filters.register(this::admit, ADMISSION_PRIORITY);
    }

    /** The separate port for health checks and metrics, if one is configured. */
    void register(@Observes ManagementInterface management) {
        management.router().route().order(BEFORE_EVERYTHING).handler(this::watch);
    }

    /** Starts the work of a request. The returned callback ends it. The client can disconnect before that. */
    public CompletionCallback beginWork(RoutingContext context) {
        var place = place(context);
        place.beginWork();
        return failure -> place.endWork();
    }

    /** Limits the requests that can need a large part of the heap. */
    ConcurrencyLimit large() {
        return large;
    }

    /** Whether requests use the database now, or did so within the last second. */
    public boolean isActive() {
        return turns.isActive();
    }

    /** Lets other requests use the database while this one waits for its client. */
    public void endTurn(RoutingContext context) {
        place(context).endTurn();
    }

    /**
     * Runs the action after the end of the turn, also if the turn ends for a wait. If the request has no turn, runs it at
     * once.
     */
    void whenTurnEnds(RoutingContext context, Runnable action) {
        place(context).whenTurnEnds(action);
    }

    /**
     * Waits for something other than the database. Meanwhile, another request may use the turn of the current request.
     *
     * @param wait runs on the thread of the caller, which must be virtual and must hold no connection
     */
    public static <T> T waitWithoutTurn(Supplier<T> wait) {
        var turn = currentTurn().orElse(null);
        return turn == null ? wait.get() : turn.gate.waitWithoutTurn(turn, wait);
    }

    /** Lets a future for which the current request waits fail when its client disconnects. */
    static void failWhenClientLeaves(CompletableFuture<?> future) {
        currentTurn().ifPresent(turn -> place(turn.context).await(future));
    }

    private static Optional<CurrentTurn> currentTurn() {
        return VertxContext.isOnDuplicatedContext() ? ContextLocals.get(TURN) : Optional.empty();
    }

    private <T> T waitWithoutTurn(CurrentTurn turn, Supplier<T> wait) {
        var place = place(turn.context);
        place.endTurn();
        var result = wait.get();
        // The request may hold a permit that others wait for. So it does not wait for the queue of its organisation.
        awaitTurn(place, turn.organizationId, turn.operation, turn.isSlow, true);
        CallerCheck.repeat();
        return result;
    }

    /**
     * Blocks until a step of this gate completes.
     *
     * @throws RuntimeException the failure of the step
     */
    public static <T> T await(CompletableFuture<T> step) {
        try {
            return step.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /**
     * Returns a consumer for the progress of an upload. Call it after each part, with the number of bytes so far. It
     * extends the deadline of the request and charges the part. So aborted uploads count too.
     */
    public LongConsumer streaming(RoutingContext context, UUID organizationId, UUID userId) {
        ClientWatch.allowStreaming(context, 0);
        var charged = new AtomicLong();
        return bytes -> {
            ClientWatch.allowStreaming(context, bytes);
            byteQuotas.charge(organizationId, userId, bytes - charged.getAndSet(bytes));
        };
    }

    /**
     * Completes when a known API key may be looked up again. The result is an action that must run after the lookup.
     * Call it once for all requests that wait for the key.
     */
    public CompletableFuture<Runnable> awaitLookupOfKnownKey(UUID organizationId) {
        return lookups.beginForKnownKey(organizationId);
    }

    /** Waits for a result that other requests also wait for. The wait ends when the client disconnects. */
    public <T> CompletableFuture<T> awaitShared(RoutingContext context, CompletableFuture<T> shared) {
        if (shared.isDone()) {
            return shared;
        }
        var own = shared.copy();
        place(context).await(own);
        return own;
    }

    /**
     * Completes when the user or the unknown key of the request may be looked up. The result is an action that must run
     * after the lookup.
     */
    public CompletableFuture<Runnable> awaitLookup(RoutingContext context) {
        return lookups.begin(place(context), this::tooMany);
    }

    /**
     * Completes when the body of a request has arrived, for a page that everybody may use. Meanwhile, the request has no
     * place.
     */
    public CompletableFuture<Void> awaitBody(RoutingContext context) {
        var place = place(context);
        place.leavePool();
        return bodies.receive(context, place, bodies.ofNetwork(place.network())).thenRun(() -> {
            if (!anonymous.enterAgain(place)) {
                throw tooMany();
            }
        });
    }

    /**
     * Completes when the body has arrived and the request has a place. Fails if the organisation, the credential or the
     * address has too many concurrent requests, or if the organisation has written too much data.
     *
     * @param userId the user, whose API keys share the memory for bodies
     * @param credential the id of the API key, or of the user in the console
     * @param name what the credential is, for the failure
     */
    public CompletableFuture<Void> enter(
            RoutingContext context, UUID organizationId, UUID userId, UUID credential, String name) {
        var place = place(context);
        // The pool is for clients that are not known.
        place.leavePool();
        return bodies.receive(context, place, bodies.of(organizationId, userId)).thenRun(() -> {
            place.deadline().restart(settings.deadline);
            requireShare(place, organizationId, credential, name);
            chargeBody(context, organizationId, userId);
            context.put(JsonWriter.LIMITS, new JsonWriter.Limits() {
                @Override
                public boolean take(long bytes) {
                    return responses.take(context, place, organizationId, bytes);
                }

                @Override
                public void force(long bytes) {
                    responses.force(context, place, organizationId, bytes);
                }

                @Override
                public void written(long bytes) {
                    currentTurn().ifPresent(turn -> largeOperations.learn(organizationId, turn.operation, bytes));
                }

                @Override
                public void endTurn() {
                    place.endTurn();
                }
            });
        });
    }

    /**
     * Blocks until a request with a place may use the database, if it has no turn yet. Must be called on a virtual
     * thread. The turn ends when the response is in memory, at the latest with the work of the request.
     *
     * @param changes whether the request may change something
     * @param perPage how many items the client asks for; null for the default
     * @throws Failure if the request may change something, and the waiting responses leave too little memory. The check
     *     comes before the change, because the response to a change cannot be rejected.
     */
    public void awaitTurn(RoutingContext context, UUID organizationId, boolean changes, @Nullable String perPage) {
        var request = context.request();
        boolean isTool = ApiPath.TOOLS.equals(context.normalizedPath());
        var operation = isTool ? null : operation();
        boolean isLargePage = !changes && ListQuery.isLargePage(perPage);
        boolean isSearching = request.getParam(ListQuery.SEARCH) != null;
        boolean isIncluding = request.getParam(ListQuery.INCLUDE) != null;
        boolean isOverview = is(OftenSlow.class, operation);
        boolean isSlow = isTool
                || LargeRequests.hasLargeBody(context)
                || isLargePage
                || is(LongRunning.class, operation)
                || (!changes && (isSearching || isIncluding || isOverview))
                || largeOperations.isLarge(organizationId, operation);
        var place = place(context);
        if (!place.hasTurn()) {
            awaitTurn(place, organizationId, operation, isSlow, false);
            ContextLocals.put(TURN, new CurrentTurn(this, context, organizationId, operation, isSlow));
        }
        // It has its turn first. Otherwise it would hold the permit while it waits in the queue of its organisation.
        if (isLargePage) {
            LargeRequests.await(this, isSearching ? largeSearches : large, context, organizationId);
        } else if (!changes && !isSearching && !isOverview && largeOperations.isLarge(organizationId, operation)) {
            // A change would hold the permit while it waits for locks. A search or an overview would hold it while the
            // database works.
            LargeRequests.await(this, largeResponses, context, organizationId);
        }
        if (changes) {
            requireRoom(responses.makeRoomForChange(organizationId));
        }
    }

    /**
     * Rejects a request for a large page before the page is read. Reading takes most of the time, and the response would
     * probably be rejected. While other organisations use much memory, the response can still be rejected later.
     */
    void requireMemoryForPage(UUID organizationId) {
        requireRoom(responses.makeRoomForPage(organizationId));
    }

    /** Rejects a change if its large response does not fit beside the waiting responses. */
    void requireMemoryForResponse(UUID organizationId, long bytes) {
        requireRoom(responses.makeRoomBesideOthers(organizationId, bytes));
    }

    private void requireRoom(boolean hasRoom) {
        if (!hasRoom) {
            shed.increment();
            throw JsonWriter.tooManyLarge();
        }
    }

    /** Whether the method of a request is one that changes something. */
    public static boolean isChange(RoutingContext context) {
        var method = context.request().method();
        return method != HttpMethod.GET && method != HttpMethod.HEAD;
    }

    /** A streamed body is charged while it arrives. */
    private void chargeBody(RoutingContext context, UUID organizationId, UUID userId) {
        var body = context.body().buffer();
        int bytes = body == null ? 0 : body.length();
        // The call of a tool is charged later, and only if the tool changes something.
        boolean isTool = ApiPath.TOOLS.equals(context.normalizedPath());
        if (isChange(context) && !isTool) {
            byteQuotas.require(organizationId, userId);
            byteQuotas.charge(organizationId, userId, bytes);
        }
    }

    private void requireShare(Place place, UUID organizationId, UUID credential, String name) {
        if (!place.take(credentials, credential, 1, settings.requestsPerKey)) {
            throw excess(name);
        }
        if (!place.take(credentials, organizationId, 1, maxOfOrganization())) {
            throw excess("This organisation");
        }
        if (!place.take(ofNetworks, place.network(), 1, settings.requestsPerAddress)) {
            throw excess("This address");
        }
        // Without a limit, the requests are still counted for the metric.
        if (!place.take(underWay, EVERYBODY, 1, maxRequests())) {
            throw tooMany();
        }
    }

    /**
     * The number of requests that may use the database at the same time. Of twelve connections, two are left for
     * exports, two for imports, and one for jobs and readiness checks. Otherwise requests that wait for locks and slow
     * exports could use all connections.
     */
    static int turns(int connections) {
        return connections - Math.clamp(connections * 5L / 12, 1, 5);
    }

    private long maxOfOrganization() {
        return maxOfOrganization(maxRequests(), underWay.used(EVERYBODY), settings.requestsPerOrganization);
    }

    /**
     * The maximum for an organisation. It also has at most as many places as are free. So several organisations together
     * leave places for others. For more than a few requests, the last eighth of the places does not count as free.
     *
     * @param places the number of all places
     * @param used how many of them are used
     * @param limit the configured maximum; 0 for no limit
     * @return the maximum; 0 for no limit
     */
    static long maxOfOrganization(long places, long used, int limit) {
        long free = places - used;
        long shared = Math.max(free - places / PART_FOR_FEW_REQUESTS, Math.min(free, FEW_REQUESTS));
        return limit == 0 ? 0 : Math.clamp(shared, 1, limit);
    }

    private long maxRequests() {
        return settings.concurrentRequests == 0 ? Long.MAX_VALUE : settings.concurrentRequests;
    }

    /** Whether the current request is {@link LongRunning}. */
    static boolean isLongRunning() {
        return is(LongRunning.class, operation());
    }

    private static boolean is(Class<? extends Annotation> kind, @Nullable RuntimeResource operation) {
        return operation != null && operation.getResourceClass().isAnnotationPresent(kind);
    }

    /** The method that will handle the current request. Messages to the tools have no request of the framework. */
    private static @Nullable RuntimeResource operation() {
        var request = CurrentRequestManager.get();
        return request == null ? null : request.getTarget();
    }

    private void awaitTurn(
            Place place, UUID organizationId, @Nullable Object operation, boolean isSlow, boolean isNext) {
        var turn = isNext
                ? turns.beginNext(organizationId, operation, isSlow)
                : turns.begin(organizationId, operation, isSlow);
        place.holdTurn(() -> turns.end(organizationId, turn));
        if (turn.isDone()) {
            return;
        }
        place.await(turn);
        if (isNext) {
            turn.orTimeout(MAX_MILLIS_FOR_NEXT_TURN, TimeUnit.MILLISECONDS);
        }
        try {
            turn.join();
        } catch (CompletionException late) {
            throw Deadline.failure();
        }
    }

    private Failure excess(String who) {
        shed.increment();
        return Failure.rateLimited(who + " has too many concurrent requests.", RETRY_AFTER);
    }

    private Failure tooMany() {
        return refuse("Too many requests are running. Try again shortly.", RETRY_AFTER);
    }

    /** Counts a request that is rejected to protect the others, and returns the failure. */
    Failure refuse(String detail, Duration retryAfter) {
        shed.increment();
        return Failure.unavailable(detail, retryAfter);
    }

    private void watch(RoutingContext context) {
        ClientWatch.begin(context, this::refuseLate);
        context.addEndHandler(answered -> skipRest(context.request()));
        context.next();
    }

    /** Closes the connection too, because the start of the next request is unknown. */
    private void refuseLate(RoutingContext context) {
        var failure = Failure.of(ErrorCode.REQUEST_TIMEOUT);
        var place = context.<Place>get(PLACE);
        try {
            context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            if (place != null && place.fail(failure)) {
                // The request waits for its body, and answers itself.
                context.addEndHandler(ended -> context.request().connection().close());
                return;
            }
            problems.end(context, failure);
        } catch (IllegalStateException answered) {
            LOG.debugf("%s was answered before its body had arrived", context.normalizedPath());
        }
        context.request().connection().close();
    }

    /** Responds to a request that the HTTP decoder refused, in place of the framework's response without a body. */
    private void refuseInvalid(HttpServerRequest request) {
        var code = switch (request.decoderResult().cause()) {
            case TooLongHttpLineException tooLong -> ErrorCode.URI_TOO_LONG;
            case TooLongHttpHeaderException tooLong -> ErrorCode.HEADERS_TOO_LARGE;
            case null, default -> ErrorCode.MALFORMED_REQUEST;
        };
        problems.end(request, Failure.of(code));
    }

    /** A request of the API needs no place before its key is known. Its body is not read until then. */
    private void admit(RoutingContext context) {
        var place = new Place(network(context), Deadline.begin(settings.deadline));
        var vertx = context.vertx();
        context.put(PLACE, place);
        ClientWatch.whenAnswered(context, isTaken -> {
            if (!place.leave(isTaken)) {
                vertx.setTimer(MAX_REST_MILLIS, id -> place.close());
            }
        });
        if (ApiPath.needsKey(context)) {
            context.next();
            return;
        }
        var entered = anonymous.enter(context, place);
        if (entered.isDone()) {
            continueOrRefuse(context, entered.join());
        } else {
            var own = vertx.getOrCreateContext();
            entered.thenAccept(isAdmitted -> own.runOnContext(ignored -> continueOrRefuse(context, isAdmitted)));
        }
    }

    private void continueOrRefuse(RoutingContext context, boolean isAdmitted) {
        if (context.response().ended()) {
            // The body was late, and the client has its response.
            return;
        }
        if (isAdmitted) {
            context.next();
        } else if (!context.response().closed()) {
            problems.end(context, tooMany());
        }
    }

    /**
     * Discards what Vert.x keeps of a body after the response. {@link Pipelining} discards the rest. A resource that still
     * reads must not take the gap for the end of the body, so its handlers are removed.
     */
    private static void skipRest(HttpServerRequest request) {
        try {
            request.handler(rest -> {}).endHandler(null).resume();
        } catch (IllegalStateException ended) {
            LOG.debugf("%s has no rest", request.path());
        }
    }

    private static Place place(RoutingContext context) {
        return Objects.requireNonNull(context.get(PLACE));
    }

    private static String network(RoutingContext context) {
        var client = context.request().remoteAddress();
        return ClientNetwork.of(client == null ? null : client.host());
    }
}
