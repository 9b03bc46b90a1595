package dev.okr.platform.idempotency;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.ws.rs.core.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Gives {@link Idempotent} its meaning. */
@Idempotent
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
public class IdempotencyInterceptor {
    private static final byte[] NO_BODY = {};

    /** What the framework makes of {@code application/json} when it writes the first response. */
    private static final String JSON = "application/json;charset=UTF-8";

    private final StoredResponses kept;
    private final Caller caller;
    private final CurrentVertxRequest http;
    private final ObjectMapper json;
    private final Problems problems;

    IdempotencyInterceptor(
            StoredResponses kept, Caller caller, CurrentVertxRequest http, ObjectMapper json, Problems problems) {
        this.kept = kept;
        this.caller = caller;
        this.http = http;
        this.json = json;
        this.problems = problems;
    }

    @AroundInvoke
    @Nullable
    Object run(InvocationContext invocation) throws Exception {
        var context = http.getCurrent();
        var request = request(context, invocation);
        if (request.isEmpty()) {
            return RetriedTransactionInterceptor.atomically(invocation::proceed);
        }
        boolean secret = invocation.getInterceptorBinding(Idempotent.class).secret();
        try {
            return RetriedTransactionInterceptor.atomically(() -> once(request.get(), secret, invocation::proceed));
        } catch (Failure failure) {
            if (isKept(failure)) {
                keep(request.get(), failure, context);
            }
            throw failure;
        }
    }

    private Optional<IdempotentRequest> request(RoutingContext context, InvocationContext invocation) {
        var body = Arrays.stream(invocation.getParameters())
                .filter(JsonBody.class::isInstance)
                .map(JsonBody.class::cast)
                .findFirst()
                .map(JsonBody::bytes)
                .orElse(NO_BODY);
        return IdempotencyKey.of(context.request().headers().getAll(IdempotencyKey.HEADER))
                .map(key -> IdempotentRequest.of(
                        caller.organizationId(),
                        caller.keyId(),
                        context.request().method() + " " + context.normalizedPath(),
                        key,
                        body));
    }

    /** In the transaction that does it: replays, refuses, or does it and keeps the response. */
    private @Nullable Object once(IdempotentRequest request, boolean secret, Callable<@Nullable Object> work)
            throws Exception {
        requireTurn(request);
        var response = (RestResponse<?>) Objects.requireNonNull(work.call());
        kept.keep(request, keepable(response), secret);
        return response;
    }

    /** @throws RuntimeException a replay, or the failure of a request that is not the one to do it */
    private void requireTurn(IdempotentRequest request) {
        if (!kept.lock(request)) {
            throw Failure.of(
                    ErrorCode.IDEMPOTENCY_IN_FLIGHT,
                    "A request with this idempotency key is being processed. Try again shortly.");
        }
        var found = kept.find(request);
        if (found.isPresent()) {
            if (!request.hasBody(found.get().bodyHash())) {
                throw Failure.of(
                        ErrorCode.IDEMPOTENCY_MISMATCH,
                        "This idempotency key was used with another body. Use a new key for a new request.");
            }
            throw new Replay(found.get().response());
        }
    }

    private StoredResponse keepable(RestResponse<?> response) throws JsonProcessingException {
        return new StoredResponse(
                response.getStatus(),
                JSON,
                response.getHeaderString(HttpHeaders.LOCATION),
                response.getHeaderString(HttpHeaders.ETAG),
                body(response.getEntity()));
    }

    /** @param entity JSON text, or an object to serialise */
    private byte[] body(Object entity) throws JsonProcessingException {
        return entity instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : json.writeValueAsBytes(entity);
    }

    /** What another try would be told as well, for all that the request itself can do. */
    private static boolean isKept(Failure failure) {
        return switch (failure.code()) {
            case NOT_FOUND, VALIDATION_FAILED -> true;
            case CONFLICT -> failure.isReplayable();
            default -> false;
        };
    }

    /** The transaction of the work is rolled back by now, so a refusal is kept in one of its own. */
    private void keep(IdempotentRequest request, Failure failure, RoutingContext context) throws Exception {
        var response = problems.kept(failure, context);
        RetriedTransactionInterceptor.atomically(() -> {
            requireTurn(request);
            kept.keep(
                    request,
                    new StoredResponse(response.status(), response.contentType(), null, null, response.body()),
                    false);
            return null;
        });
    }
}
