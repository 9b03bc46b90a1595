package dev.okr.platform.http;

import jakarta.enterprise.context.RequestScoped;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The user who makes the request. */
@RequestScoped
public class Caller {
    /**
     * How long a replica may cache a caller's key, role and user. Changes must take effect within five seconds. The
     * remaining second covers loading the key and a wait without a second check ({@link #isOutdated}).
     */
    public static final Duration MAX_AGE = Duration.ofSeconds(4);

    private static final Duration MAX_WAIT = Duration.ofMillis(500);

    private @Nullable Identity identity;

    /**
     * An authenticated user.
     *
     * @param keyId the API key of the request, null for a user of the console
     */
    public record Identity(
            UUID organizationId,
            UUID userId,
            boolean isAdmin,
            @Nullable UUID keyId) {}

    /**
     * Whether the caller must be identified again. The key or user may have changed while the request waited for its body
     * or turn.
     *
     * @param identifiedNanos when the caller was identified, by {@link System#nanoTime}
     */
    public static boolean isOutdated(long identifiedNanos) {
        return System.nanoTime() - identifiedNanos > MAX_WAIT.toNanos();
    }

    /** Sets the caller of the request. */
    public void bind(Identity identity) {
        this.identity = identity;
    }

    public UUID userId() {
        return identity().userId();
    }

    public UUID organizationId() {
        return identity().organizationId();
    }

    /** The API key of the request. A request to the console has none. */
    public UUID keyId() {
        var keyId = identity().keyId();
        if (keyId == null) {
            throw new IllegalStateException("The request has no API key.");
        }
        return keyId;
    }

    public boolean isAdmin() {
        return identity().isAdmin();
    }

    private Identity identity() {
        if (identity == null) {
            throw new IllegalStateException("The request is not authenticated.");
        }
        return identity;
    }
}
