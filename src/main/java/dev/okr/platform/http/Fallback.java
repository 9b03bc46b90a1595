package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Handles the paths that no resource serves: {@code /}, unknown paths and paths with matrix parameters. */
@ApplicationScoped
public class Fallback {
    private static final int AFTER_EVERYTHING = Integer.MAX_VALUE - 1;

    /** Runs after the filter that sets the request id (10,000) and before all checks of the path. */
    private static final int PLAIN_PATHS_PRIORITY = 9_900;

    private static final String SWAGGER_UI = "/q/swagger-ui/";

    private final Problems problems;

    Fallback(Problems problems) {
        this.problems = problems;
    }

    void register(@Observes Router router) {
        router.get("/").handler(context -> context.redirect(SWAGGER_UI));
        router.route()
                .order(AFTER_EVERYTHING)
                .handler(context -> problems.end(context, Failure.of(ErrorCode.NOT_FOUND)))
                .failureHandler(this::fail);
    }

    void register(@Observes Filters filters) {
        filters.register(this::requirePlainPath, PLAIN_PATHS_PRIORITY);
    }

    /**
     * Rejects paths with matrix parameters. The framework decodes such a path before it finds the operation. So
     * {@code /v1/cycles%2Fx;y} would be checked as one path and served as another.
     */
    private void requirePlainPath(RoutingContext context) {
        var path = context.request().path();
        if (path != null && path.indexOf(';') >= 0) {
            problems.end(context, Failure.of(ErrorCode.NOT_FOUND));
        } else {
            context.next();
        }
    }

    private void fail(RoutingContext context) {
        if (context.response().headWritten()) {
            // A closed connection shows the client that the response is incomplete.
            context.request().connection().close();
            return;
        }
        var cause = context.failure();
        int status = context.statusCode();
        var failure = cause == null || (status >= 400 && status < 500)
                ? Failure.of(ErrorCode.ofStatus(status))
                : problems.failureFor(cause, context);
        problems.end(context, failure);
    }
}
