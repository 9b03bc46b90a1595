package dev.okr.organizations;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.EntityTags.Written;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.UUID;

/**
 * What callers are told of themselves. Clients ask for it to see whether their key works, so that it is remembered for
 * as long as the key is: a change shows within the five seconds in which it takes effect (contract, section 3).
 */
@ApplicationScoped
class OwnUsers {
    private static final int MAX_REMEMBERED_USERS = 10_000;

    private final EntityTags tags;
    private final Cache<Key, Written<OwnUserResponse>> users = Caffeine.newBuilder()
            .expireAfterWrite(Caller.MAX_AGE)
            .maximumSize(MAX_REMEMBERED_USERS)
            .build();

    OwnUsers(EntityTags tags) {
        this.tags = tags;
    }

    /** A user as one organisation knows it. */
    private record Key(UUID organizationId, UUID userId) {}

    /** The caller, as the database knew them at most {@link Caller#MAX_AGE} ago. */
    Written<OwnUserResponse> get(Caller caller) {
        return users.get(new Key(caller.organizationId(), caller.userId()), key -> {
            var userId = key.userId();
            return tags.written(OwnUserResponse.of(User.require(userId), Team.idsOf(userId)));
        });
    }
}
