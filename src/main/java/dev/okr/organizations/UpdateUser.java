package dev.okr.organizations;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a user. Absent fields keep their values. */
@Schema(name = "UpdateUser", description = "Changes of a user. Absent fields keep their values.")
public record UpdateUser(
        FieldChange<String> name,
        FieldChange<Role> role,

        @Schema(description = "`false` deactivates the user. The API keys of the user stop within five seconds.")
        FieldChange<Boolean> active) {

    /** Whether the request takes the role of an admin from the user, or deactivates the user. Ignores wrong values. */
    static boolean endsAccess(UserProfile user, BodyReader body) {
        boolean staysAdmin = body.changedConstant("role", Role.class).orElse(user.role()) == Role.ADMIN;
        boolean staysActive = body.changedBoolean("active").orElse(true);
        return user.isActive() && (!staysActive || user.role() == Role.ADMIN && !staysAdmin);
    }

    static UpdateUser read(BodyReader body) {
        var name = body.changedTitle("name");
        var role = body.changedConstant("role", Role.class);
        var active = body.changedBoolean("active");
        body.verify();
        return new UpdateUser(name, role, active);
    }
}
