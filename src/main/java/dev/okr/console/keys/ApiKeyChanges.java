package dev.okr.console.keys;

import dev.okr.access.ApiKey;
import dev.okr.access.ApiKeyWriter;
import dev.okr.access.Scope;
import dev.okr.console.ConsoleSession;
import dev.okr.organizations.User;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Caller;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import java.util.UUID;

/**
 * The changes that people make to API keys, each in one transaction. Users manage their own keys. Admins may also
 * revoke the keys of others. They may not rotate them, because a rotation shows a new token. A new key requires a plan
 * that includes the API.
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
        return audit.change(
                change -> new ApiKeyWriter(change).issue(id, caller.userId(), name, scopes, expiry.from(change.now())));
    }

    /** @throws Failure a conflict if the key is no longer valid or has been replaced */
    @RetriedTransaction
    ApiKey.Issued rotate(String id, ApiKeyOptions.Overlap overlap) {
        // Locks the user before the key, as an erasure does.
        User.requireActive(caller.userId());
        var old = requireRotatable(ApiKey.requireLocked(id));
        return audit.change(change -> new ApiKeyWriter(change).rotate(old, overlap.duration()));
    }

    @RetriedTransaction
    void revoke(String id) {
        var key = requireVisible(ApiKey.requireLocked(id));
        audit.run(change -> new ApiKeyWriter(change).revoke(key));
    }

    /** @throws Failure if the caller may not see the key */
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
}
