package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Refuses paths with matrix parameters. The framework decodes such a path before it finds the operation. So
 * {@code /v1/cycles%2Fx;y} would be checked as one path and served as another.
 */
@ApplicationScoped
public class PlainPaths {
    /** After the request id (10,000), before all checks of the path. */
    private static final int PRIORITY = 9_900;

    private final Problems problems;

    PlainPaths(Problems problems) {
        this.problems = problems;
    }

    void register(@Observes Filters filters) {
        filters.register(this::refuse, PRIORITY);
    }

    private void refuse(RoutingContext context) {
        var path = context.request().path();
        if (path != null && path.indexOf(';') >= 0) {
            problems.end(context, Failure.malformed("Matrix parameters are not supported."));
        } else {
            context.next();
        }
    }
}
