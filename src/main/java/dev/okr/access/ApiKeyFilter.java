package dev.okr.access;

import dev.okr.access.limits.FailedAuthentications;
import dev.okr.access.limits.Quota;
import dev.okr.access.limits.RateLimits;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.ApiPath;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.RequestIds;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.ext.Provider;
import java.util.Optional;
import org.jboss.resteasy.reactive.server.spi.ResteasyReactiveContainerRequestContext;
import org.jspecify.annotations.Nullable;

/**
 * Validates the bearer key of every request below {@code /v1}, then plan, scope and role, before anything else is
 * looked at (contract, section 2: 401, 403 plan, 429, 403 scope, 403 role). It runs on an event loop: a remembered key is
 * judged right there, any other is looked up elsewhere while the request waits.
 */
@Provider
@PreMatching
public class ApiKeyFilter implements ContainerRequestFilter {
    /** The request property under which {@link CallerFilter} finds the principal. */
    static final String PRINCIPAL = "okr.principal";

    private static final String SCHEME = "bearer ";

    private final ApiKeys keys;
    private final UtcClock clock;
    private final CurrentVertxRequest http;
    private final RateLimits limits;
    private final FailedAuthentications failures;

    ApiKeyFilter(
            ApiKeys keys, UtcClock clock, CurrentVertxRequest http, RateLimits limits, FailedAuthentications failures) {
        this.keys = keys;
        this.clock = clock;
        this.http = http;
        this.limits = limits;
        this.failures = failures;
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
        var found = keys.find(token.get());
        if (found.isDone() && !found.isCompletedExceptionally()) {
            admit(request, context, path, found.join());
            return;
        }
        var suspended = (ResteasyReactiveContainerRequestContext) request;
        suspended.suspend();
        // Whatever completes the look-up belongs to another request or to none: nothing request-scoped is touched.
        found.whenComplete((principal, failure) -> {
            if (failure != null) {
                suspended.resume(failure);
                return;
            }
            try {
                admit(request, context, path, principal);
                suspended.resume();
            } catch (RuntimeException refusal) {
                suspended.resume(refusal);
            }
        });
    }

    /** Lets the request in, or says why not. */
    private void admit(
            ContainerRequestContext request,
            RoutingContext context,
            String path,
            @Nullable AuthenticatedKey principal) {
        if (principal == null || principal.isExpired(clock.now())) {
            throw unauthenticated(context);
        }
        context.put(RequestIds.API_KEY_ID, IdKind.API_KEY.format(principal.keyId()));
        context.put(RequestIds.ORGANIZATION_ID, IdKind.ORGANIZATION.format(principal.organizationId()));
        if (!principal.plan().includesApi()) {
            limits.look(principal.organizationId(), principal.keyId()).ifPresent(quota -> show(quota, context));
            throw Failure.of(ErrorCode.PLAN_REQUIRED, "API access requires the Business plan.");
        }
        limits.take(principal.organizationId(), principal.keyId()).ifPresent(quota -> require(quota, context));
        var required = Permission.required(request.getMethod(), path);
        if (!principal.scopes().contains(required.scope())) {
            throw Failure.of(
                    ErrorCode.INSUFFICIENT_SCOPE,
                    "This operation requires a key with the scope %s.".formatted(EnumNames.format(required.scope())));
        }
        if (!principal.role().includes(required.role())) {
            throw Failure.forbidden(
                    "This operation requires the role %s.".formatted(EnumNames.format(required.role())));
        }
        request.setProperty(PRINCIPAL, principal);
    }

    private static Optional<String> bearerToken(@Nullable String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                ? Optional.of(authorization.substring(SCHEME.length()).strip())
                : Optional.empty();
    }

    private static void require(Quota quota, RoutingContext context) {
        show(quota, context);
        if (!quota.admitted()) {
            throw Failure.rateLimited(
                    "An API key may make %d requests a minute. Wait as long as Retry-After says."
                            .formatted(quota.capacity()),
                    quota.retryAfter());
        }
    }

    private static void show(Quota quota, RoutingContext context) {
        context.response().putHeader(Quota.POLICY_HEADER, quota.policy()).putHeader(Quota.HEADER, quota.state());
    }

    /** Why a request without a valid key is refused, however often its client tried: the right key is always let in. */
    private Failure unauthenticated(RoutingContext context) {
        var client = context.request().remoteAddress();
        var wait = failures.count(client == null ? null : client.host());
        if (wait.isPresent()) {
            return Failure.rateLimited("Too many requests without a valid API key came from this address.", wait.get());
        }
        return Failure.of(
                ErrorCode.UNAUTHENTICATED, "Send a valid API key in the Authorization header, with the Bearer scheme.");
    }
}
