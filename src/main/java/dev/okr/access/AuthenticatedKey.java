package dev.okr.access;

import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.platform.http.Caller;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A valid API key with its user and plan. The data are at most {@link Caller#MAX_AGE} old. */
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
