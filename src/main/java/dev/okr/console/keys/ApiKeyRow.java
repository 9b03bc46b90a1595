package dev.okr.console.keys;

import dev.okr.access.ApiKey;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An API key as pages show it.
 *
 * @param owner the name of the key's owner
 * @param valid whether requests with the key are accepted
 * @param ending whether another key has replaced it, so it expires soon
 * @param own whether the key belongs to the user of the page
 * @param rotatable whether the user can rotate the key, given a plan that includes the API
 */
public record ApiKeyRow(
        String id,
        String name,
        String scopes,
        String owner,
        Instant created,
        @Nullable Instant lastUsed,
        @Nullable Instant expires,
        String state,
        boolean valid,
        boolean ending,
        boolean own,
        boolean rotatable) {

    static ApiKeyRow of(ApiKey key, String owner, UUID viewerId, Instant now) {
        boolean own = key.userId().equals(viewerId);
        boolean valid = key.isValid(now);
        return new ApiKeyRow(
                IdKind.API_KEY.format(key.id()),
                key.name(),
                key.scopes().stream().map(EnumNames::format).collect(Collectors.joining(", ")),
                owner,
                key.createdAt(),
                key.lastUsedAt(),
                key.expiresAt(),
                state(key, now),
                valid,
                valid && key.replacedById() != null,
                own,
                own && valid && key.replacedById() == null);
    }

    private static String state(ApiKey key, Instant now) {
        if (key.revokedAt() != null) {
            return "Revoked";
        }
        boolean replaced = key.replacedById() != null;
        if (key.isValid(now)) {
            return replaced ? "Replaced, expires soon" : "Active";
        }
        return replaced ? "Replaced" : "Expired";
    }
}
