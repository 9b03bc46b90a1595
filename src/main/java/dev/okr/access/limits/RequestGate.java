package dev.okr.access.limits;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.Deadline;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.ManagementInterface;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Where every request comes in: its deadline begins here, and it is turned away when too many are under way. What is
 * beyond that would only wait for the database, for longer and longer, until nobody wants the answer any more.
 */
@ApplicationScoped
public class RequestGate {
    private static final Logger LOG = Logger.getLogger(RequestGate.class);

    /** After the request has its id (10,000). */
    private static final int WATCH_PRIORITY = 9_950;

    /** After the console's gate (9,000), which gives what is refused its headers; before all work. */
    private static final int ADMISSION_PRIORITY = 8_900;

    private static final int BEFORE_EVERYTHING = Integer.MIN_VALUE;

    /** Health and metrics, which are wanted most when there is too much of everything else. */
    private static final String OPERATION = "/q/";

    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private final RequestSettings settings;
    private final Problems problems;
    private final Counter shed;
    private final AtomicInteger underWay = new AtomicInteger();

    RequestGate(RequestSettings settings, Problems problems, MeterRegistry metrics) {
        this.settings = settings;
        this.problems = problems;
        this.shed = Counter.builder("okr.requests.shed")
                .description("Requests that were turned away because too many were under way")
                .register(metrics);
        metrics.gauge("okr.requests.under.way", underWay);
    }

    void start(@Observes StartupEvent event) {
        ClientWatch.configure(settings.head(), settings.deadline());
    }

    void register(@Observes Filters filters) {
        filters.register(this::watch, WATCH_PRIORITY);
        filters.register(this::admit, ADMISSION_PRIORITY);
    }

    /** Where health and metrics are when the operator moves them to a port of their own. */
    void register(@Observes ManagementInterface management) {
        management.router().route().order(BEFORE_EVERYTHING).handler(this::watch);
    }

    private void watch(RoutingContext context) {
        ClientWatch.begin(context, this::refuseLate);
        context.next();
    }

    /** A body that is still on its way is not waited for; where it would have ended, nobody knows. */
    private void refuseLate(RoutingContext context) {
        try {
            context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            problems.end(
                    context, Failure.of(ErrorCode.REQUEST_TIMEOUT, "The body of the request did not arrive in time."));
        } catch (IllegalStateException answered) {
            LOG.debugf("%s was answered before its body was there", context.normalizedPath());
        }
        context.request().connection().close();
    }

    private void admit(RoutingContext context) {
        if (context.normalizedPath().startsWith(OPERATION)) {
            context.next();
            return;
        }
        int max = settings.concurrentRequests();
        if (underWay.incrementAndGet() > max && max > 0) {
            underWay.decrementAndGet();
            shed.increment();
            problems.end(
                    context, Failure.unavailable("Too many requests are under way. Try again shortly.", RETRY_AFTER));
            return;
        }
        var deadline = Deadline.begin(settings.deadline());
        context.addEndHandler(ended -> {
            underWay.decrementAndGet();
            if (ended.failed()) {
                // Its place is free, so it should not go on using the database for a client that is gone.
                deadline.pass();
            }
        });
        context.next();
    }
}
