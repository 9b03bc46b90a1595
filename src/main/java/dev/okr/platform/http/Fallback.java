package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/** Handles the path {@code /} and unknown paths. */
@ApplicationScoped
public class Fallback {
    private static final int AFTER_EVERYTHING = Integer.MAX_VALUE - 1;

    private static final String SWAGGER_UI = "/q/swagger-ui/";

    private final Problems problems;

    Fallback(Problems problems) {
        this.problems = problems;
    }

    void register(@Observes Router router) {
        router.get("/").handler(context -> context.redirect(SWAGGER_UI));
        router.route()
                .order(AFTER_EVERYTHING)
                .handler(context -> problems.end(context, notFound()))
                .failureHandler(this::fail);
    }

    private void fail(RoutingContext context) {
        if (context.response().headWritten()) {
            // A closed connection shows the client that the response is incomplete.
            context.request().connection().close();
            return;
        }
        var cause = context.failure();
        int status = context.statusCode();
        if (cause == null || (status >= 400 && status < 500)) {
            problems.end(context, refusal(status));
        } else {
            problems.end(context, problems.failureFor(cause, context));
        }
    }

    private static Failure refusal(int status) {
        var code = Problem.code(status);
        return code == ErrorCode.NOT_FOUND ? notFound() : Failure.of(code, "The request cannot be read.");
    }

    private static Failure notFound() {
        return Failure.of(ErrorCode.NOT_FOUND, "No resource has this path.");
    }
}
