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

    /** Whether the request sets a role other than admin, or deactivates the user. Ignores wrong values. */
    static boolean endsAdministration(BodyReader body) {
        return body.changedConstant("role", Role.class).orElse(Role.ADMIN) != Role.ADMIN
                || !body.changedBoolean("active").orElse(true);
    }

    static UpdateUser read(BodyReader body) {
        var name = body.changedTitle("name");
        var role = body.changedConstant("role", Role.class);
        var active = body.changedBoolean("active");
        body.verify();
        return new UpdateUser(name, role, active);
    }
}
