package dev.okr.platform.idempotency;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Problems;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jboss.resteasy.reactive.RestResponse;
import org.jspecify.annotations.Nullable;

/** Does work once for each idempotency key, in a retried transaction that also stores the response. */
@ApplicationScoped
public class IdempotentCalls {
    /** The Content-Type that the framework sends for {@code application/json}. */
    private static final String JSON = "application/json;charset=UTF-8";

    private final StoredResponses responses;
    private final ObjectMapper json;
    private final Problems problems;

    IdempotentCalls(StoredResponses responses, ObjectMapper json, Problems problems) {
        this.responses = responses;
        this.json = json;
        this.problems = problems;
    }

    /**
     * Does the work of a request, unless it was done before.
     *
     * @param secret whether the response contains a secret and is stored encrypted
     * @param work returns a {@code RestResponse}
     * @throws StoredResponses.Replay with the stored response of an earlier request
     * @throws Failure of the work, or because the key is in use or was used with another body
     */
    public Object run(
            IdempotentRequest request,
            boolean secret,
            RoutingContext context,
            Callable<? extends @Nullable Object> work)
            throws Exception {
        try {
            return RetriedTransactionInterceptor.inRetriedTransaction(() -> once(request, secret, work));
        } catch (Failure failure) {
            if (isStored(failure)) {
                store(request, failure, context);
            }
            throw failure;
        }
    }

    /** Runs in the transaction of the work. Replays the stored response, or does the work and stores the response. */
    private Object once(IdempotentRequest request, boolean secret, Callable<? extends @Nullable Object> work)
            throws Exception {
        var now = requireFirst(request);
        var response = (RestResponse<?>) Objects.requireNonNull(work.call());
        responses.store(request, now, stored(response), secret);
        return response;
    }

    /**
     * @return the current time by the clock of the database
     * @throws RuntimeException a replay, or the failure if the request must not do the work
     */
    private Instant requireFirst(IdempotentRequest request) {
        var now = responses.lock(request).orElseThrow(() -> Failure.of(ErrorCode.IDEMPOTENCY_IN_FLIGHT));
        var found = responses.find(request, now);
        if (found.isPresent()) {
            if (!request.hasBody(found.get().bodyHash())) {
                throw Failure.of(ErrorCode.IDEMPOTENCY_MISMATCH);
            }
            if (found.get().isErased()) {
                throw Failure.passingConflict(
                        "This request was executed before. Its response was erased with a user's data.");
            }
            throw new StoredResponses.Replay(found.get().response());
        }
        return now;
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
            var now = requireFirst(request);
            responses.store(
                    request,
                    now,
                    new StoredResponses.Response(
                            response.status(), response.contentType(), null, null, response.body()),
                    false);
            return true;
        });
    }
}
