package dev.okr.console;

import dev.okr.organizations.UserProfile;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** The current names of users. */
public final class Names {
    private static final String UNKNOWN = "Unknown user";

    private final Map<UUID, String> byId = new HashMap<>();

    /** Reads the names of users of the organisation with one query. */
    public Names(Collection<UUID> userIds) {
        UserProfile.list(Set.copyOf(userIds)).forEach(user -> byId.put(user.id(), user.name()));
    }

    public String of(UUID userId) {
        return byId.getOrDefault(userId, UNKNOWN);
    }
}
