package dev.okr.auth;

import dev.okr.users.Role;
import jakarta.enterprise.context.RequestScoped;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The person on whose behalf the request is made. */
@RequestScoped
public class Caller {
    private @Nullable Principal principal;

    void bind(Principal principal) {
        this.principal = principal;
    }

    public UUID userId() {
        return principal().userId();
    }

    public UUID organizationId() {
        return principal().organizationId();
    }

    /** The API key that the request came with. */
    public UUID keyId() {
        return principal().keyId();
    }

    public boolean isAdmin() {
        return principal().role() == Role.ADMIN;
    }

    private Principal principal() {
        if (principal == null) {
            throw new IllegalStateException("an operation without authentication has no caller");
        }
        return principal;
    }
}
