package dev.okr.access;

import dev.okr.access.limits.FailedAuthentications;
import dev.okr.access.limits.Quota;
import dev.okr.access.limits.RateLimits;
import dev.okr.access.limits.RequestGate;
import dev.okr.organizations.tenant.CurrentTenant;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.RequestIds;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.ext.Provider;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jboss.resteasy.reactive.server.core.ResteasyReactiveRequestContext;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jspecify.annotations.Nullable;

/**
 * Checks the API key of every request under {@code /v1}. Then it checks the plan, the rate limit, the scope and the
 * role. The filter runs on an event loop. If a key is not in the cache, the request is suspended until another thread
 * has loaded the key.
 */
@Provider
@PreMatching
public class ApiKeyFilter implements ContainerRequestFilter {
    /** The request property that passes the key to {@link Binding}. */
    private static final String AUTHENTICATED_KEY = "okr.authenticated-key";

    private static final String SCHEME = "bearer ";

    private final ApiKeyCache keys;
    private final UtcClock clock;
    private final CurrentVertxRequest http;
    private final RateLimits limits;
    private final FailedAuthentications failures;
    private final RequestGate gate;

    ApiKeyFilter(
            ApiKeyCache keys,
            UtcClock clock,
            CurrentVertxRequest http,
            RateLimits limits,
            FailedAuthentications failures,
            RequestGate gate) {
        this.keys = keys;
        this.clock = clock;
        this.http = http;
        this.limits = limits;
        this.failures = failures;
        this.gate = gate;
    }

    @Override
    public void filter(ContainerRequestContext request) {
        var context = http.getCurrent();
        var apiPath = ApiPath.of(context);
        if (apiPath.isEmpty()) {
            return;
        }
        var path = apiPath.get();
        var token =
                bearerToken(request.getHeaderString(HttpHeaders.AUTHORIZATION)).filter(Token::isWellFormed);
        if (token.isEmpty()) {
            throw unauthenticated(context);
        }
        var suspended = (ResteasyReactiveContainerRequestContext) request;
        ((ResteasyReactiveRequestContext) suspended.getServerRequestContext())
                .registerCompletionCallback(gate.beginWork(context));
        // This may run on the thread of another request, so it must not use request-scoped beans.
        var turn = find(token.get(), context).thenCompose(key -> admit(request, context, path, key));
        if (turn.isDone() && !turn.isCompletedExceptionally()) {
            return;
        }
        suspended.suspend();
        turn.whenComplete((begun, failure) -> {
            if (failure == null) {
                suspended.resume();
            } else {
                suspended.resume(failure instanceof CompletionException wrapped ? wrapped.getCause() : failure);
            }
        });
    }

    /** A search for a key that is not in the cache waits for its turn. */
    @SuppressWarnings("NullAway") // As in ApiKeyCache.
    private CompletableFuture<ApiKeyCache.@Nullable Key> find(String token, RoutingContext context) {
        return keys.findCached(token)
                .orElseGet(() -> gate.awaitLookup(context)
                        .thenCompose(end -> keys.find(token).whenComplete((key, failure) -> end.run())));
    }

    /** Waits for the turn of an allowed request, and throws a failure otherwise. */
    private CompletableFuture<Void> admit(
            ContainerRequestContext request, RoutingContext context, String path, ApiKeyCache.@Nullable Key key) {
        if (key == null || key.isExpired(clock.now())) {
            throw unauthenticated(context);
        }
        context.put(RequestIds.API_KEY_ID, IdKind.API_KEY.format(key.keyId()));
        context.put(RequestIds.ORGANIZATION_ID, IdKind.ORGANIZATION.format(key.organizationId()));
        if (!key.plan().includesApi()) {
            limits.look(key.organizationId(), key.keyId()).ifPresent(quota -> show(quota, context));
            throw Failure.of(ErrorCode.PLAN_REQUIRED);
        }
        limits.take(key.organizationId(), key.keyId()).ifPresent(quota -> require(quota, context));
        if (!ApiPath.isPlain(context)) {
            throw Failure.of(ErrorCode.NOT_FOUND);
        }
        var required = Permission.required(request.getMethod(), path);
        if (!key.scopes().contains(required.scope())) {
            throw Failure.missingScope(EnumNames.format(required.scope()));
        }
        if (!key.role().includes(required.role())) {
            throw Failure.missingRole(EnumNames.format(required.role()));
        }
        request.setProperty(AUTHENTICATED_KEY, key);
        return gate.enter(context, key.organizationId(), key.keyId(), "This API key");
    }

    private static Optional<String> bearerToken(@Nullable String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? Optional.of(authorization.substring(SCHEME.length()).strip())
                : Optional.empty();
    }

    private static void require(Quota quota, RoutingContext context) {
        show(quota, context);
        if (!quota.admitted()) {
            throw Failure.quotaExhausted(quota.capacity(), quota.retryAfter());
        }
    }

    private static void show(Quota quota, RoutingContext context) {
        context.response().putHeader(Quota.POLICY_HEADER, quota.policy()).putHeader(Quota.HEADER, quota.state());
    }

    /** The failure of a request without a valid key. Many failures from one address never block a valid key. */
    private Failure unauthenticated(RoutingContext context) {
        var client = context.request().remoteAddress();
        var wait = failures.count(client == null ? null : client.host());
        if (wait.isPresent()) {
            return Failure.rateLimited("This address sent too many requests without a valid API key.", wait.get());
        }
        return Failure.of(ErrorCode.UNAUTHENTICATED);
    }

    /**
     * Sets the caller and the organisation of an authenticated request in the request's context. This is a separate
     * filter, because the first one may run on the thread of another request.
     */
    @Provider
    @Priority(Priorities.AUTHENTICATION)
    public static class Binding implements ContainerRequestFilter {
        private final Caller caller;
        private final CurrentTenant tenant;

        Binding(Caller caller, CurrentTenant tenant) {
            this.caller = caller;
            this.tenant = tenant;
        }

        @Override
        public void filter(ContainerRequestContext request) {
            if (request.getProperty(AUTHENTICATED_KEY) instanceof ApiKeyCache.Key key) {
                caller.bind(key.identity());
                tenant.bind(key.organizationId());
            } else if (request.getUriInfo().getPath().startsWith("/v1")) {
                // An operation under /v1 never runs without a caller, even if a request bypassed ApiKeyFilter.
                throw Failure.of(ErrorCode.UNAUTHENTICATED);
            }
        }
    }
}
