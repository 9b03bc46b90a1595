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
                .handler(context -> problems.end(context, nothingHere()))
                .failureHandler(this::fail);
    }

    private void fail(RoutingContext context) {
        if (context.response().headWritten()) {
            // Half a response cannot be taken back; a closed connection at least tells that it is only half.
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
        return code == ErrorCode.NOT_FOUND ? nothingHere() : Failure.of(code, "The request cannot be read.");
    }

    private static Failure nothingHere() {
        return Failure.of(ErrorCode.NOT_FOUND, "There is nothing at this path.");
    }
}
