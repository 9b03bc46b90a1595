package dev.okr.access.limits;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.JsonWriter;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.Deadline;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.ManagementInterface;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.impl.RoutingContextInternal;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongPredicate;
import org.jboss.logging.Logger;

/**
 * Gives each request a place, and rejects requests above the limits. Otherwise they would wait for the database until
 * their clients give up. A request gets its place after its body has arrived, and returns it after its client has taken
 * the response. Addresses, organisations and keys each have a share of the places.
 */
@ApplicationScoped
public class RequestGate {
    private static final Logger LOG = Logger.getLogger(RequestGate.class);

    /** Runs after the filter that sets the request id (10,000). */
    private static final int WATCH_PRIORITY = 9_950;

    /** Runs after the console's gate (9,000), which adds headers to rejected requests. Runs before all other work. */
    private static final int RECEIVE_PRIORITY = 8_910;

    private static final int ADMISSION_PRIORITY = 8_900;

    private static final int BEFORE_EVERYTHING = Integer.MIN_VALUE;

    /** Health checks and metrics have their own places, because they must work under overload. */
    private static final String HEALTH = "/q/health";

    private static final String METRICS = "/q/metrics";
    private static final int PROBES = 16;

    /** The part of the heap for bodies that have arrived, and the part of it for one address. */
    private static final int PART_FOR_BODIES = 8;

    private static final int PART_FOR_ADDRESS = 2;

    /** The part of the heap for large responses that wait for their clients, and the part of it for one organisation. */
    private static final int PART_FOR_RESPONSES = 8;

    private static final int PART_FOR_ORGANIZATION = 2;

    private static final UUID EVERY_ORGANIZATION = new UUID(0, 0);

    static final String EVERYBODY = "";
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
    private static final String PLACE = "okr.place";

    private final LimitSettings settings;
    private final Problems problems;
    private final Counter shed;
    private final long maxBodyBytes = Runtime.getRuntime().maxMemory() / PART_FOR_BODIES;
    private final Shares<String> requests = new Shares<>();
    private final Shares<String> probes = new Shares<>();
    private final Shares<String> bodyBytes = new Shares<>();
    private final long maxResponseBytes = Runtime.getRuntime().maxMemory() / PART_FOR_RESPONSES;
    private final Shares<UUID> responseBytes = new Shares<>();
    private final Shares<UUID> credentials = new Shares<>();
    private final Turns<UUID> turns;

    RequestGate(LimitSettings settings, Problems problems, MeterRegistry metrics) {
        this.settings = settings;
        this.problems = problems;
        // One connection is left for jobs and health checks.
        this.turns = new Turns<>(settings.databaseConnections - 1);
        this.shed = Counter.builder("okr.requests.shed")
                .description("Requests that were rejected because of the limits on concurrent requests")
                .register(metrics);
        metrics.gauge("okr.requests.under.way", requests, each -> each.used(EVERYBODY));
    }

    void start(@Observes StartupEvent event) {
        ClientWatch.configure(
                settings,
                new ConnectionLimit(settings.connectionsPerAddress, settings.trustedProxies),
                this::refuseInvalid);
    }

    void register(@Observes Filters filters) {
        filters.register(this::watch, WATCH_PRIORITY);
        filters.register(this::receive, RECEIVE_PRIORITY);
        filters.register(this::admit, ADMISSION_PRIORITY);
    }

    /** The separate port for health checks and metrics, if one is configured. */
    void register(@Observes ManagementInterface management) {
        management.router().route().order(BEFORE_EVERYTHING).handler(this::watch);
    }

    /**
     * Takes a part of the shares of the organisation and the key until the response has been written.
     *
     * @throws Failure if one of them has too many requests under way
     */
    public void requireShare(RoutingContext context, UUID organizationId, UUID keyId) {
        var place = place(context);
        if (!place.take(credentials, keyId, 1, settings.requestsPerKey)) {
            throw excess("This API key");
        }
        if (!place.take(credentials, organizationId, 1, settings.requestsPerOrganization)) {
            throw excess("This organisation");
        }
        LongPredicate memory =
                bytes -> place.take(responseBytes, organizationId, bytes, maxResponseBytes / PART_FOR_ORGANIZATION)
                        && place.take(responseBytes, EVERY_ORGANIZATION, bytes, maxResponseBytes);
        context.put(JsonWriter.MEMORY, memory);
    }

    /** Completes when the request may run. It runs until its response is in memory, or has been sent. */
    public CompletableFuture<Void> awaitTurn(RoutingContext context, UUID organizationId) {
        var turn = turns.begin(organizationId);
        var isEnded = new AtomicBoolean();
        Runnable end = () -> {
            if (isEnded.compareAndSet(false, true)) {
                turns.end(organizationId, turn);
            }
        };
        context.put(JsonWriter.WHEN_MADE, end);
        place(context).onReturn(end);
        return turn;
    }

    private Failure excess(String who) {
        shed.increment();
        return Failure.rateLimited(who + " has too many requests under way.", RETRY_AFTER);
    }

    private void watch(RoutingContext context) {
        ClientWatch.begin(context, this::refuseLate);
        context.next();
    }

    /** Closes the connection too, because the start of the next request is unknown. */
    private void refuseLate(RoutingContext context) {
        try {
            context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            problems.end(context, Failure.of(ErrorCode.REQUEST_TIMEOUT));
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

    /** Waits for the body. A body that is too large is not kept, because its resource rejects it. */
    private void receive(RoutingContext context) {
        var place = new Place(network(context));
        context.put(PLACE, place);
        ClientWatch.whenAnswered(context, place::close);
        var request = context.request();
        if (!hasBody(request)) {
            context.next();
            return;
        }
        var body = Buffer.buffer();
        request.handler(bytes -> {
            if (!place.takeForBody(bodyBytes, bytes.length(), maxBodyBytes / PART_FOR_ADDRESS, maxBodyBytes)) {
                request.handler(null).endHandler(null);
                refuse(context, Failure.unavailable("Too many request bodies are arriving.", RETRY_AFTER));
            } else if (body.appendBuffer(bytes).length() > JsonBody.MAX_BYTES) {
                request.handler(null).endHandler(null);
                admitWith(body, context);
            }
        });
        request.endHandler(end -> admitWith(body, context));
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
            context.response().writeContinue();
        }
    }

    private static boolean hasBody(HttpServerRequest request) {
        var length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return length == null
                ? request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                : !length.equals("0") && !JsonBody.isTooLarge(length);
    }

    private static void admitWith(Buffer body, RoutingContext context) {
        ((RoutingContextInternal) context).setBody(body);
        context.next();
    }

    private void admit(RoutingContext context) {
        var place = place(context);
        var path = context.normalizedPath();
        if (path.startsWith(HEALTH) || path.equals(METRICS)) {
            if (place.take(probes, EVERYBODY, 1, PROBES)) {
                context.next();
            } else {
                refuse(context, Failure.unavailable("Too many probes are running.", RETRY_AFTER));
            }
            return;
        }
        if (!place.take(requests, place.network(), 1, settings.requestsPerAddress)) {
            problems.end(context, excess("This address"));
            return;
        }
        if (!place.take(requests, EVERYBODY, 1, settings.concurrentRequests)) {
            refuse(context, Failure.unavailable("Too many requests are running. Try again shortly.", RETRY_AFTER));
            return;
        }
        var deadline = Deadline.begin(settings.deadline);
        context.addEndHandler(ended -> {
            if (ended.failed()) {
                // The client has disconnected. The request must not start more database work.
                deadline.pass();
            }
        });
        context.next();
    }

    private void refuse(RoutingContext context, Failure failure) {
        shed.increment();
        problems.end(context, failure);
    }

    private static Place place(RoutingContext context) {
        return Objects.requireNonNull(context.get(PLACE));
    }

    /** Never the name of {@link #EVERYBODY}. */
    private static String network(RoutingContext context) {
        var client = context.request().remoteAddress();
        return '@' + ClientNetwork.of(client == null ? null : client.host());
    }
}
