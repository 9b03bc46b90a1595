package dev.okr.access;

import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.http.Caller;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A known API key that is not revoked, with its user and plan. It can have expired. It is cached for
 * {@link Caller#MAX_AGE}.
 */
record AuthenticatedKey(
        UUID keyId,
        UUID organizationId,
        UUID userId,
        Role role,
        Plan plan,
        Set<Scope> scopes,
        @Nullable Instant expiresAt) {

    Caller.Identity identity() {
        return new Caller.Identity(organizationId, userId, role == Role.ADMIN, keyId);
    }

    boolean isExpired(Instant now) {
        return expiresAt != null && !now.isBefore(expiresAt);
    }
}
