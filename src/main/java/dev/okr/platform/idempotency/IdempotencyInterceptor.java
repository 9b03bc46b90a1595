package dev.okr.platform.idempotency;

import dev.okr.platform.http.Caller;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.transactions.RetriedTransactionInterceptor;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Implements {@link Idempotent}. */
@Idempotent
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE + 100)
public class IdempotencyInterceptor {
    private static final byte[] NO_BODY = {};

    private final IdempotentCalls calls;
    private final Caller caller;
    private final CurrentVertxRequest http;

    IdempotencyInterceptor(IdempotentCalls calls, Caller caller, CurrentVertxRequest http) {
        this.calls = calls;
        this.caller = caller;
        this.http = http;
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
        return calls.run(request.get(), secret, context, invocation::proceed);
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
}
