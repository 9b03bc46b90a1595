package dev.okr.console.keys;

import dev.okr.access.ApiKey;
import dev.okr.access.Scope;
import dev.okr.console.ConsoleSession;
import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.organizations.User;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes to API keys, each in one transaction with its entry in the audit log. Users manage their own keys. Admins can
 * also revoke keys of others, but not rotate them, since rotation shows the new token. Creation and rotation need a
 * plan that includes the API.
 */
@ApplicationScoped
class ApiKeyChanges {
    private final ConsoleSession session;
    private final Caller caller;
    private final AuditLog audit;
    private final UtcClock clock;

    ApiKeyChanges(ConsoleSession session, Caller caller, AuditLog audit, UtcClock clock) {
        this.session = session;
        this.caller = caller;
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * @param id the id in the form
     * @throws Failure a conflict if the same form has already created a key
     */
    @RetriedTransaction
    ApiKey.Issued create(UUID id, String name, Set<Scope> scopes, ApiKeyOptions.Expiry expiry) {
        requirePlan();
        var now = clock.now();
        User.requireActive(caller.userId());
        var issued = ApiKey.create(id, caller.userId(), name, scopes, expiry.from(now), now);
        var detail = "scopes " + scopes.stream().map(EnumNames::format).collect(Collectors.joining(", "))
                + until(issued.key().expiresAt());
        audit.record(AuditAction.API_KEY_CREATED, issued.key().id(), name, detail);
        return issued;
    }

    /** @throws Failure a conflict if the key is no longer valid or has been replaced */
    @RetriedTransaction
    ApiKey.Issued rotate(String id, ApiKeyOptions.Overlap overlap) {
        User.requireActive(caller.userId());
        var old = requireRotatable(ApiKey.requireLocked(id));
        var issued = old.rotate(overlap.duration(), clock.now());
        var detail = "replaced by " + IdKind.API_KEY.format(issued.key().id()) + until(old.expiresAt());
        audit.record(AuditAction.API_KEY_ROTATED, old.id(), old.name(), detail);
        return issued;
    }

    @RetriedTransaction
    void revoke(String id) {
        var key = requireVisible(ApiKey.requireLocked(id));
        if (key.revokedAt() == null) {
            key.revoke(clock.now());
            audit.record(AuditAction.API_KEY_REVOKED, key.id(), key.name(), null);
        }
    }

    /** @throws Failure if the user may not see the key */
    ApiKey requireVisible(ApiKey key) {
        if (!caller.isAdmin() && !key.userId().equals(caller.userId())) {
            throw Failure.notFound("API key");
        }
        return key;
    }

    /** @throws Failure if the user cannot rotate the key */
    ApiKey requireRotatable(ApiKey key) {
        if (!requireVisible(key).userId().equals(caller.userId())) {
            throw Failure.forbidden("Only the owner of this key can rotate it. You can revoke it.");
        }
        requirePlan();
        key.requireRotatable(clock.now());
        return key;
    }

    private void requirePlan() {
        if (!session.user().plan().includesApi()) {
            throw Failure.of(ErrorCode.PLAN_REQUIRED, "Creating API keys requires the Business plan or a higher one.");
        }
    }

    private static String until(@Nullable Instant expiresAt) {
        return expiresAt == null ? "" : ", valid until " + Timestamps.format(expiresAt);
    }
}
