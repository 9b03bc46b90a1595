package dev.okr.access;

import dev.okr.organizations.Role;
import jakarta.enterprise.context.RequestScoped;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The person on whose behalf the request is made. */
@RequestScoped
public class Caller {
    private @Nullable SignedIn user;
    private @Nullable UUID keyId;

    void bind(Principal principal) {
        this.user = new SignedIn(principal.organizationId(), principal.userId(), principal.role());
        this.keyId = principal.keyId();
    }

    /** Binds a request that came without an API key, from a person who signed in. */
    public void bind(SignedIn user) {
        this.user = user;
    }

    public UUID userId() {
        return user().userId();
    }

    public UUID organizationId() {
        return user().organizationId();
    }

    /** The API key that the request came with; a request of the console has none. */
    public UUID keyId() {
        if (keyId == null) {
            throw new IllegalStateException("a request without an API key has no key's id");
        }
        return keyId;
    }

    public boolean isAdmin() {
        return user().role() == Role.ADMIN;
    }

    private SignedIn user() {
        if (user == null) {
            throw new IllegalStateException("an operation without authentication has no caller");
        }
        return user;
    }
}
