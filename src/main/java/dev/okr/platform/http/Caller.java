package dev.okr.platform.http;

import jakarta.enterprise.context.RequestScoped;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The person on whose behalf the request is made. */
@RequestScoped
public class Caller {
    /** How long what is known of a caller may be remembered, in one replica. */
    public static final Duration MAX_AGE = Duration.ofSeconds(4);

    private @Nullable Identity identity;

    /**
     * A person who is known to be who they are.
     *
     * @param keyId the API key that the request came with; null for a person who signed in to the console
     */
    public record Identity(
            UUID organizationId,
            UUID userId,
            boolean isAdmin,
            @Nullable UUID keyId) {}

    /** Binds the request to whoever makes it. */
    public void bind(Identity identity) {
        this.identity = identity;
    }

    public UUID userId() {
        return identity().userId();
    }

    public UUID organizationId() {
        return identity().organizationId();
    }

    /** The API key that the request came with; a request of the console has none. */
    public UUID keyId() {
        var keyId = identity().keyId();
        if (keyId == null) {
            throw new IllegalStateException("a request without an API key has no key's id");
        }
        return keyId;
    }

    public boolean isAdmin() {
        return identity().isAdmin();
    }

    private Identity identity() {
        if (identity == null) {
            throw new IllegalStateException("an operation without authentication has no caller");
        }
        return identity;
    }
}
