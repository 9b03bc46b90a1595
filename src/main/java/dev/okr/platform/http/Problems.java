package dev.okr.platform.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.Deadline;
import dev.okr.platform.transactions.SqlFailures;
import io.netty.handler.codec.TooLongFrameException;
import io.quarkus.arc.All;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Converts every failure to a problem body. The details of unexpected failures are only logged. */
@ApplicationScoped
public class Problems {
    private static final Logger LOG = Logger.getLogger(Problems.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final String UNKNOWN_PATH = "/";

    /** How long an undecodable request may continue to arrive after its response. */
    private static final long LINGER_MILLIS = 1_000;

    /** The maximum depth of a chain of causes. */
    private static final int MAX_CAUSES = 8;

    private final ObjectMapper json;
    private final List<ErrorPages> pages;

    Problems(ObjectMapper json, @All List<ErrorPages> pages) {
        this.json = json;
        this.pages = pages;
    }

    @ServerExceptionMapper
    public Response map(Failure failure, RoutingContext context) {
        LOG.debugf("%s %s: %s", context.request().method(), path(context), failure.getMessage());
        var response = respond(failure, context);
        var retryAfter = failure.retryAfter();
        if (retryAfter != null) {
            response.header(HttpHeaders.RETRY_AFTER, retryAfter.toSeconds());
        }
        if (failure.code() == ErrorCode.UNAUTHENTICATED && ApiPath.of(context).isPresent()) {
            response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        if (failure.code() == ErrorCode.BODY_TOO_LARGE) {
            // Otherwise the service would have to read the rest of the body.
            response.header("Connection", "close");
        }
        return response.build();
    }

    /** Failures of the framework: unknown paths, methods and media types. */
    @ServerExceptionMapper
    public Response map(WebApplicationException refusal, RoutingContext context) {
        var original = refusal.getResponse();
        if (original.getStatus() < 400) {
            return original;
        }
        var code = ErrorCode.ofStatus(original.getStatus());
        if (code == ErrorCode.INTERNAL_ERROR) {
            return map((Throwable) refusal, context);
        }
        var allowed = Routes.served()
                .map(routes -> routes.allowedMethods(context.normalizedPath()))
                .orElse("");
        if (code == ErrorCode.NOT_FOUND && !allowed.isEmpty()) {
            // If several resource classes match, the framework searches only the last one, which may not have the path.
            code = ErrorCode.METHOD_NOT_ALLOWED;
        }
        var response = respond(Failure.of(code), context);
        if (code == ErrorCode.METHOD_NOT_ALLOWED) {
            response.header(HttpHeaders.ALLOW, allowed);
        }
        return response.build();
    }

    @ServerExceptionMapper
    public Response map(Throwable surprise, RoutingContext context) {
        return map(failureFor(surprise, context), context);
    }

    /** A serialized problem response. */
    public record Written(int status, String contentType, byte[] body) {}

    /** Writes the response of a failure, to be stored. */
    public Written written(Failure failure, RoutingContext context) {
        var problem = Problem.of(failure, path(context), RequestIds.of(context));
        return new Written(problem.status(), Problem.MEDIA_TYPE, text(problem).getBytes(StandardCharsets.UTF_8));
    }

    /** Sends the response to a request that reaches no resource. */
    public void end(RoutingContext context, Failure failure) {
        var problem = Problem.of(failure, path(context), RequestIds.of(context));
        var page = page(problem, context);
        allowCompression(context);
        if (!context.request().isEnded()) {
            // Discard the body. A paused body blocks the next request on the connection.
            context.request().resume();
        }
        var retryAfter = failure.retryAfter();
        if (retryAfter != null) {
            context.response().putHeader(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfter.toSeconds()));
        }
        if (failure.code() == ErrorCode.UNAUTHENTICATED && ApiPath.needsKey(context)) {
            context.response().putHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
        }
        context.response()
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, page.isPresent() ? ErrorPages.MEDIA_TYPE : Problem.MEDIA_TYPE)
                .end(page.orElseGet(() -> text(problem)));
    }

    /** Sends the response to a request that cannot be decoded, so its path is unknown. Closes the connection. */
    public void end(HttpServerRequest request, Failure failure) {
        var requestId = RequestIds.newId();
        RequestIds.forbidCaching(request.response())
                .setStatusCode(failure.code().status())
                .putHeader(RequestIds.HEADER, requestId)
                .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
                .putHeader("Connection", "close")
                .end(text(Problem.of(failure, UNKNOWN_PATH, requestId)))
                // Closing with unread data would reset the connection, and the client could lose the response.
                .onComplete(sent -> Objects.requireNonNull(Vertx.currentContext())
                        .owner()
                        .setTimer(LINGER_MILLIS, id -> request.connection().close()));
    }

    /** The failure for an unexpected exception. */
    public Failure failureFor(Throwable surprise, RoutingContext context) {
        var cause = withoutWrappers(surprise);
        if (cause instanceof Failure failure) {
            return failure;
        }
        if (SqlFailures.isUnavailable(surprise)) {
            // After the client disconnects, the request may not start statements. The database is not the cause.
            if (!context.response().closed()) {
                LOG.warnf("The database is unavailable: %s", surprise.toString());
            }
            if (SqlFailures.tookTooLong(surprise)) {
                return Deadline.failure();
            }
            return Failure.unavailable("The database cannot be reached. Try again shortly.", RETRY_AFTER);
        }
        if (isGone(cause) || surprise instanceof IOException && isMalformedChunk(cause)) {
            return Failure.malformed("The connection was closed before the request ended.");
        }
        LOG.errorf(surprise, "%s %s failed", context.request().method(), path(context));
        return Failure.of(ErrorCode.INTERNAL_ERROR);
    }

    /** The framework wraps failures of reading a request, and Jackson wraps failures of writing a response. */
    private static Throwable withoutWrappers(Throwable surprise) {
        var cause = surprise;
        for (int causes = 0;
                causes < MAX_CAUSES && cause instanceof IOException && cause.getCause() != null;
                causes++) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Whether the client closed the connection. */
    private static boolean isGone(Throwable cause) {
        return cause instanceof HttpClosedException
                || cause instanceof SocketException
                || cause instanceof ClosedChannelException;
    }

    /** Netty reports the invalid length of a chunk like this. */
    private static boolean isMalformedChunk(Throwable cause) {
        return cause instanceof NumberFormatException || cause instanceof TooLongFrameException;
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

    /** The framework allows compression only for responses of resources. */
    private static void allowCompression(RoutingContext context) {
        context.response().headers().remove(HttpHeaders.CONTENT_ENCODING);
    }

    private String text(Problem problem) {
        try {
            return json.writeValueAsString(problem);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String path(RoutingContext context) {
        return Text.printable(
                context.request().path() == null ? "" : context.request().path());
    }
}
