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
import java.util.stream.Stream;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Implements {@link Idempotent}. */
@Idempotent
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
public class IdempotencyInterceptor {
    private static final byte[] NO_BODY = {};

    /** The Content-Type that the framework sends for {@code application/json}. */
    private static final String JSON = "application/json;charset=UTF-8";

    private final StoredResponses responses;
    private final Caller caller;
    private final CurrentVertxRequest http;
    private final ObjectMapper json;
    private final Problems problems;

    IdempotencyInterceptor(
            StoredResponses responses, Caller caller, CurrentVertxRequest http, ObjectMapper json, Problems problems) {
        this.responses = responses;
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
            return RetriedTransactionInterceptor.inRetriedTransaction(invocation::proceed);
        }
        boolean secret = invocation.getInterceptorBinding(Idempotent.class).secret();
        try {
            return RetriedTransactionInterceptor.inRetriedTransaction(
                    () -> once(request.get(), secret, invocation::proceed));
        } catch (Failure failure) {
            if (isStored(failure)) {
                store(request.get(), failure, context);
            }
            throw failure;
        }
    }

    private Optional<IdempotentRequest> request(RoutingContext context, InvocationContext invocation) {
        var body = Arrays.stream(invocation.getParameters())
                .flatMap(IdempotencyInterceptor::bytes)
                .findFirst()
                .orElse(NO_BODY);
        return IdempotentRequest.key(context.request().headers().getAll(IdempotentRequest.HEADER))
                .map(key -> IdempotentRequest.of(
                        caller.organizationId(),
                        caller.keyId(),
                        context.request().method() + " " + context.normalizedPath(),
                        key,
                        body));
    }

    private static Stream<byte[]> bytes(Object parameter) {
        return switch (parameter) {
            case JsonBody body -> Stream.of(body.bytes());
            case BodyDigest digest -> Stream.of(digest.sha256());
            default -> Stream.empty();
        };
    }

    /** Runs in the transaction of the work. Replays the stored response, or does the work and stores the response. */
    private @Nullable Object once(IdempotentRequest request, boolean secret, Callable<@Nullable Object> work)
            throws Exception {
        requireFirst(request);
        var response = (RestResponse<?>) Objects.requireNonNull(work.call());
        responses.store(request, stored(response), secret);
        return response;
    }

    /** @throws RuntimeException a replay, or the failure of a request that must not do the work */
    private void requireFirst(IdempotentRequest request) {
        if (!responses.lock(request)) {
            throw Failure.of(ErrorCode.IDEMPOTENCY_IN_FLIGHT);
        }
        var found = responses.find(request);
        if (found.isPresent()) {
            if (!request.hasBody(found.get().bodyHash())) {
                throw Failure.of(ErrorCode.IDEMPOTENCY_MISMATCH);
            }
            throw new StoredResponses.Replay(found.get().response());
        }
    }

    private StoredResponses.Response stored(RestResponse<?> response) throws JsonProcessingException {
        return new StoredResponses.Response(
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

    /** Whether to store a failure. A repeated request would get the same failure. */
    private static boolean isStored(Failure failure) {
        return switch (failure.code()) {
            case NOT_FOUND, VALIDATION_FAILED -> true;
            case CONFLICT -> failure.isReplayable();
            default -> false;
        };
    }

    /** Stores a failure in a separate transaction, because the transaction of the work was rolled back. */
    private void store(IdempotentRequest request, Failure failure, RoutingContext context) throws Exception {
        var response = problems.written(failure, context);
        RetriedTransactionInterceptor.inRetriedTransaction(() -> {
            requireFirst(request);
            responses.store(
                    request,
                    new StoredResponses.Response(
                            response.status(), response.contentType(), null, null, response.body()),
                    false);
            return null;
        });
    }
}
