package dev.okr.access.limits;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.Deadline;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.ManagementInterface;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Starts the deadline of each request, and rejects requests above the limit on concurrent requests. Without the limit,
 * they would wait for the database until their clients give up.
 */
@ApplicationScoped
public class RequestGate {
    private static final Logger LOG = Logger.getLogger(RequestGate.class);

    /** Runs after the filter that sets the request id (10,000). */
    private static final int WATCH_PRIORITY = 9_950;

    /** Runs after the console's gate (9,000), which adds headers to rejected requests. Runs before all other work. */
    private static final int ADMISSION_PRIORITY = 8_900;

    private static final int BEFORE_EVERYTHING = Integer.MIN_VALUE;

    /** The path of health checks and metrics, which must work under overload. */
    private static final String MANAGEMENT_PATH = "/q/";

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final LimitSettings settings;
    private final Problems problems;
    private final Counter shed;
    private final AtomicInteger concurrent = new AtomicInteger();

    RequestGate(LimitSettings settings, Problems problems, MeterRegistry metrics) {
        this.settings = settings;
        this.problems = problems;
        this.shed = Counter.builder("okr.requests.shed")
                .description("Requests that were rejected because of the limit on concurrent requests")
                .register(metrics);
        metrics.gauge("okr.requests.under.way", concurrent);
    }

    void start(@Observes StartupEvent event) {
        ClientWatch.configure(settings.head, settings.deadline, this::refuseInvalid);
    }

    void register(@Observes Filters filters) {
        filters.register(this::watch, WATCH_PRIORITY);
        filters.register(this::admit, ADMISSION_PRIORITY);
    }

    /** The separate port for health checks and metrics, if one is configured. */
    void register(@Observes ManagementInterface management) {
        management.router().route().order(BEFORE_EVERYTHING).handler(this::watch);
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

    private void admit(RoutingContext context) {
        if (context.normalizedPath().startsWith(MANAGEMENT_PATH)) {
            context.next();
            return;
        }
        int max = settings.concurrentRequests;
        if (concurrent.incrementAndGet() > max && max > 0) {
            concurrent.decrementAndGet();
            shed.increment();
            problems.end(
                    context, Failure.unavailable("Too many requests are running. Try again shortly.", RETRY_AFTER));
            return;
        }
        var deadline = Deadline.begin(settings.deadline);
        context.addEndHandler(ended -> {
            concurrent.decrementAndGet();
            if (ended.failed()) {
                // The client has disconnected, so the request no longer counts against the limit. It must not start
                // more database work.
                deadline.pass();
            }
        });
        context.next();
    }
}
