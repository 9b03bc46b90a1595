package dev.okr.platform.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import dev.okr.platform.transactions.SqlFailures;
import io.quarkus.arc.All;
import io.vertx.core.http.HttpClosedException;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns every failure into a problem body: expected ones in their own words, surprises without any. */
@ApplicationScoped
public class Problems {
    private static final Logger LOG = Logger.getLogger(Problems.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    /** More than this are not looked at. */
    private static final int MAX_CAUSES = 8;

    private final ObjectMapper json;
    private final List<ErrorPages> pages;

    Problems(ObjectMapper json, @All List<ErrorPages> pages) {
        this.json = json;
        this.pages = pages;
    }

    @ServerExceptionMapper
    public Response map(Failure failure, RoutingContext context) {
        LOG.debugf("%s %s: %s", context.request().method(), context.request().path(), failure.getMessage());
        var response = respond(failure, context);
        var retryAfter = failure.retryAfter();
        if (retryAfter != null) {
            response.header(HttpHeaders.RETRY_AFTER, retryAfter.toSeconds());
        }
        if (failure.code() == ErrorCode.UNAUTHENTICATED && ApiPath.of(context).isPresent()) {
            response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        if (failure.code() == ErrorCode.BODY_TOO_LARGE) {
            // The rest of the body is not worth the wait that a kept connection would cost.
            response.header("Connection", "close");
        }
        return response.build();
    }

    /** What the framework itself refuses: unknown paths, methods, media types. */
    @ServerExceptionMapper
    public Response map(WebApplicationException refusal, RoutingContext context) {
        var original = refusal.getResponse();
        if (original.getStatus() < 400) {
            return original;
        }
        var code = Problem.code(original.getStatus());
        if (code == ErrorCode.INTERNAL_ERROR) {
            return map((Throwable) refusal, context);
        }
        var allowed = AllowedMethods.of(context.normalizedPath());
        if (code == ErrorCode.NOT_FOUND && !allowed.isEmpty()) {
            // Of resources whose paths begin alike, the framework asks the last alone, which may not know the path.
            code = ErrorCode.METHOD_NOT_ALLOWED;
        }
        var response = respond(Failure.of(code, detail(code)), context);
        if (code == ErrorCode.METHOD_NOT_ALLOWED) {
            response.header(HttpHeaders.ALLOW, allowed);
        }
        return response.build();
    }

    @ServerExceptionMapper
    public Response map(Throwable surprise, RoutingContext context) {
        return map(failureFor(surprise, context), context);
    }

    /**
     * A problem response as it will be sent.
     *
     * @param body the very bytes
     */
    public record Written(int status, String contentType, byte[] body) {}

    /** Writes the response of a failure, to be kept. */
    public Written kept(Failure failure, RoutingContext context) {
        var problem = Problem.of(failure, path(context), RequestIds.of(context));
        try {
            return new Written(problem.status(), Problem.MEDIA_TYPE, json.writeValueAsBytes(problem));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answers a request that never reached a resource. */
    public void end(RoutingContext context, Failure failure) {
        var problem = Problem.of(failure, path(context), RequestIds.of(context));
        var page = page(problem, context);
        allowCompression(context);
        if (!context.request().isEnded()) {
            // Nobody will read its body, and a paused one would hold up the connection's next request.
            context.request().resume();
        }
        var retryAfter = failure.retryAfter();
        if (retryAfter != null) {
            context.response().putHeader(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter.toSeconds()));
        }
        try {
            context.response()
                    .setStatusCode(problem.status())
                    .putHeader(HttpHeaders.CONTENT_TYPE, page.isPresent() ? ErrorPages.MEDIA_TYPE : Problem.MEDIA_TYPE)
                    .end(page.isPresent() ? page.get() : json.writeValueAsString(problem));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The failure that stands for an exception that nobody expected. */
    Failure failureFor(Throwable surprise, RoutingContext context) {
        if (surprise instanceof Failure failure) {
            return failure;
        }
        if (SqlFailures.isUnavailable(surprise)) {
            LOG.warnf("database unavailable: %s", surprise.toString());
            if (SqlFailures.isTimeout(surprise)) {
                return Deadline.failure();
            }
            return Failure.unavailable("The database cannot be reached. Try again shortly.", RETRY_AFTER);
        }
        if (isGone(surprise)) {
            return Failure.malformed("The connection ended before the request did.");
        }
        LOG.errorf(
                surprise,
                "%s %s failed",
                context.request().method(),
                context.request().path());
        return Failure.of(
                ErrorCode.INTERNAL_ERROR, "The service failed. The request id leads to the reason in its log.");
    }

    /** Whether the client left before its request was there: no surprise, and nobody is left to be told. */
    private static boolean isGone(Throwable surprise) {
        var cause = surprise;
        for (int causes = 0;
                causes < MAX_CAUSES && cause instanceof IOException && cause.getCause() != null;
                causes++) {
            cause = cause.getCause();
        }
        return cause instanceof HttpClosedException;
    }

    private Response.ResponseBuilder respond(Failure failure, RoutingContext context) {
        var problem = Problem.of(failure, path(context), RequestIds.of(context));
        var page = page(problem, context);
        if (page.isPresent()) {
            return Response.status(problem.status()).type(ErrorPages.MEDIA_TYPE).entity(page.get());
        }
        allowCompression(context);
        return Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem);
    }

    private Optional<String> page(Problem problem, RoutingContext context) {
        return pages.stream()
                .flatMap(each -> each.page(problem, context).stream())
                .findFirst();
    }

    /** The framework forbids it at first, and allows it by their media type to responses of resources alone. */
    private static void allowCompression(RoutingContext context) {
        context.response().headers().remove(HttpHeaders.CONTENT_ENCODING);
    }

    private static String path(RoutingContext context) {
        return Text.printable(
                context.request().path() == null ? "" : context.request().path());
    }

    private static String detail(ErrorCode code) {
        return switch (code) {
            case NOT_FOUND -> "There is nothing at this path.";
            case METHOD_NOT_ALLOWED -> "The Allow header names the methods of this resource.";
            case NOT_ACCEPTABLE -> "This resource is served as application/json.";
            case UNSUPPORTED_MEDIA_TYPE -> "Send the body as application/json.";
            case BODY_TOO_LARGE -> BodyLimit.tooLarge().detail();
            default -> "The request cannot be read.";
        };
    }
}
