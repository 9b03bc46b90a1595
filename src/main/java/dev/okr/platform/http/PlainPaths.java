package dev.okr.platform.http;

import dev.okr.platform.errors.Failure;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Refuses paths with matrix parameters, which nothing here knows. The framework decodes a path that has one before it
 * looks for the operation: {@code /v1/cycles%2Fx;y} would be judged as one thing and served as another.
 */
@ApplicationScoped
public class PlainPaths {
    /** After the request has its id (10,000), before all that judges a path. */
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
            problems.end(context, Failure.malformed("A path has no matrix parameters here."));
        } else {
            context.next();
        }
    }
}
