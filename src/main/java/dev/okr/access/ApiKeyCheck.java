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
import dev.okr.platform.http.RequestIds;
import dev.okr.platform.http.Right;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.CallerCheck;
import io.quarkus.arc.ClientProxy;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.container.CompletionCallback;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the API key of a request, then the plan and the rate limit. {@link ApiKeyFilter} uses it for the operations of
 * the API. The tools for assistants use it directly, because they are not REST resources.
 */
@ApplicationScoped
public class ApiKeyCheck {
    /** The key of the {@link Admission} in the routing context. */
    private static final String ADMISSION = "okr.admission";

    private static final String END_OF_WORK = "okr.end-of-work";

    private static final String SCHEME = "bearer ";

    private final ApiKeyCache keys;
    private final UtcClock clock;
    private final RateLimits limits;
    private final FailedAuthentications failures;
    private final RequestGate gate;

    ApiKeyCheck(ApiKeyCache keys, UtcClock clock, RateLimits limits, FailedAuthentications failures, RequestGate gate) {
        // Each request calls these beans. Calls through their proxies take longer.
        this.keys = ClientProxy.unwrap(keys);
        this.clock = ClientProxy.unwrap(clock);
        this.limits = ClientProxy.unwrap(limits);
        this.failures = failures;
        this.gate = ClientProxy.unwrap(gate);
    }

    /**
     * An admitted request.
     *
     * @param authorize throws a failure if the key lacks the right
     * @param checkedNanos when the key was checked, by {@link System#nanoTime}
     */
    private record Admission(
            String token, Consumer<ApiKeyCache.Key> authorize, ApiKeyCache.Key key, long checkedNanos) {}

    /**
     * Completes when a request with a key that may use the API has a place and its body has arrived. The place is
     * released after the response.
     *
     * @throws Failure if the request has no token
     */
    public CompletableFuture<Void> admit(RoutingContext context) {
        var token = requireToken(context);
        var end = gate.beginWork(context);
        context.put(END_OF_WORK, end);
        context.addBodyEndHandler(ended -> end.onComplete(null));
        return admit(context, token, key -> {});
    }

    /**
     * Ends the work of a request before its response is written. If the client has disconnected and there is no response,
     * the request would otherwise keep its place for a while. Can be called more than once.
     */
    public static void endWork(RoutingContext context) {
        CompletionCallback end = context.get(END_OF_WORK);
        if (end != null) {
            end.onComplete(null);
        }
    }

    /** Whether a request was admitted and its key has a right, by its scopes and by the role of its user. */
    public static boolean may(RoutingContext context, Right right) {
        return authenticated(context)
                .filter(key -> Permission.of(right).refusal(key).isEmpty())
                .isPresent();
    }

    /** Why the key of an admitted request lacks a right. Empty if it has the right. */
    public static Optional<Failure> refusal(RoutingContext context, Right right) {
        return Permission.of(right).refusal(authenticated(context).orElseThrow());
    }

    /**
     * Requires a right of an admitted request, now and whenever its key is checked again.
     *
     * @throws Failure if the key lacks the right
     */
    public static void require(RoutingContext context, Right right) {
        var admission = admission(context).orElseThrow();
        Consumer<ApiKeyCache.Key> authorize =
                key -> Permission.of(right).refusal(key).ifPresent(refusal -> {
                    throw refusal;
                });
        authorize.accept(admission.key());
        context.put(ADMISSION, new Admission(admission.token(), authorize, admission.key(), admission.checkedNanos()));
    }

    public static UUID organizationId(RoutingContext context) {
        return authenticated(context).orElseThrow().organizationId();
    }

    /**
     * Waits until an admitted request may use the database, before its message is parsed. Afterwards, call
     * {@link #begin} or {@link #endWork}. Must be called on a virtual thread.
     */
    public void awaitTurn(RoutingContext context) {
        gate.awaitTurn(context, organizationId(context), false, null);
    }

    /**
     * Waits until an admitted request may use the database, if it has no turn yet. Checks the key again if the request
     * has waited. Then sets the caller and the organisation in the current request's beans. Must be called on a virtual
     * thread.
     *
     * @param changes whether the request may change something
     * @param perPage how many items the client asks for; null for the default
     */
    public void begin(
            RoutingContext context, Caller caller, CurrentTenant tenant, boolean changes, @Nullable String perPage) {
        var organizationId = organizationId(context);
        gate.awaitTurn(context, organizationId, changes, perPage);
        CallerCheck.set(requireCurrent(context), () -> requireCurrent(context));
        caller.bind(authenticated(context).orElseThrow().identity());
        tenant.bind(organizationId);
    }

    /**
     * Checks the API key again if the request has waited since the last check, for example for its body. Must be called
     * on a virtual thread.
     *
     * @return when the key was read, by {@link System#nanoTime}
     * @throws Failure if the key is no longer valid, its plan excludes the API, or it lacks the right
     */
    private long requireCurrent(RoutingContext context) {
        var admission = admission(context).orElseThrow();
        if (Caller.isOutdated(admission.checkedNanos())) {
            var key = RequestGate.await(
                    find(admission.token(), context).thenApply(found -> requireValid(found, context)));
            if (!key.plan().includesApi()) {
                throw Failure.of(ErrorCode.PLAN_REQUIRED);
            }
            authorize(context, admission.token(), key, admission.authorize());
        }
        return authenticated(context).orElseThrow().readNanos();
    }

    static Optional<ApiKeyCache.Key> authenticated(RoutingContext context) {
        return admission(context).map(Admission::key);
    }

    private static Optional<Admission> admission(RoutingContext context) {
        return Optional.ofNullable(context.get(ADMISSION));
    }

    /** @throws Failure if the request has no token */
    String requireToken(RoutingContext context) {
        var authorization = context.request().getHeader(HttpHeaders.AUTHORIZATION);
        return bearerToken(authorization).orElseThrow(() -> unauthenticated(context));
    }

    /**
     * Completes when an allowed request has its place. Fails otherwise. The result may complete on the thread of another
     * request.
     *
     * @param authorize throws a failure if the key lacks the right
     */
    CompletableFuture<Void> admit(RoutingContext context, String token, Consumer<ApiKeyCache.Key> authorize) {
        return find(token, context).thenCompose(found -> {
            var key = requireValid(found, context);
            requireQuota(context, key);
            if (!ApiPath.isPlain(context)) {
                throw Failure.of(ErrorCode.NOT_FOUND);
            }
            authorize(context, token, key, authorize);
            return gate.enter(context, key.organizationId(), key.userId(), key.keyId(), "This API key");
        });
    }

    @SuppressWarnings("NullAway") // As in ApiKeyCache.
    private CompletableFuture<ApiKeyCache.@Nullable Key> find(String token, RoutingContext context) {
        return keys.findKnown(token, gate::awaitLookupOfKnownKey)
                .map(found -> gate.awaitShared(context, found))
                .orElseGet(() -> lookUp(token, context));
    }

    /** The lookup of an unknown key waits for a turn of its network. It never delays the lookup of a known key. */
    @SuppressWarnings("NullAway") // As in ApiKeyCache.
    private CompletableFuture<ApiKeyCache.@Nullable Key> lookUp(String token, RoutingContext context) {
        if (!Token.isWellFormed(token)) {
            return CompletableFuture.failedFuture(unauthenticated(context));
        }
        return gate.awaitLookup(context).thenCompose(end -> keys.find(token).whenComplete((key, failure) -> end.run()));
    }

    private ApiKeyCache.Key requireValid(ApiKeyCache.@Nullable Key key, RoutingContext context) {
        if (key == null || key.isExpired(clock.now())) {
            throw unauthenticated(context);
        }
        return key;
    }

    /** Checks the plan, then the rate limit. */
    private void requireQuota(RoutingContext context, ApiKeyCache.Key key) {
        context.put(RequestIds.API_KEY_ID, IdKind.API_KEY.format(key.keyId()));
        context.put(RequestIds.ORGANIZATION_ID, IdKind.ORGANIZATION.format(key.organizationId()));
        if (!key.plan().includesApi()) {
            limits.look(key.organizationId(), key.keyId()).ifPresent(quota -> show(quota, context));
            throw Failure.of(ErrorCode.PLAN_REQUIRED);
        }
        limits.take(key.organizationId(), key.keyId()).ifPresent(quota -> require(quota, context));
    }

    private static void authorize(
            RoutingContext context, String token, ApiKeyCache.Key key, Consumer<ApiKeyCache.Key> authorize) {
        authorize.accept(key);
        context.put(ADMISSION, new Admission(token, authorize, key, System.nanoTime()));
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
}
