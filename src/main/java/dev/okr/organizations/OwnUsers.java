package dev.okr.organizations;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.EntityTags.Written;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/**
 * Caches the responses of {@code GET /v1/users/me}, because clients call it often to test their key. A response is
 * cached as long as the key, so changes show within five seconds.
 */
@ApplicationScoped
class OwnUsers {
    private static final int MAX_CACHED_USERS = 10_000;

    private final EntityTags tags;
    private final Cache<Key, Written<OwnUserResponse>> users = Caffeine.newBuilder()
            .expireAfterWrite(Caller.MAX_AGE)
            .maximumSize(MAX_CACHED_USERS)
            .build();

    OwnUsers(EntityTags tags) {
        this.tags = tags;
    }

    private record Key(UUID organizationId, UUID userId) {}

    /** The caller. The data are at most {@link Caller#MAX_AGE} old. */
    Written<OwnUserResponse> get(Caller caller) {
        return users.get(new Key(caller.organizationId(), caller.userId()), key -> {
            var userId = key.userId();
            return tags.written(OwnUserResponse.of(User.require(userId), Team.idsOf(userId)));
        });
    }
}
