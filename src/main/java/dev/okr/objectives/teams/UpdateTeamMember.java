package dev.okr.objectives.teams;

import dev.okr.organizations.TeamRole;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to add a user to a team, or to change the role of a member. */
@Schema(name = "UpdateTeamMember", description = "The role of a user in a team.")
public record UpdateTeamMember(
        @Schema(description = "The user's role in the team. Required for a new member.")
        FieldChange<TeamRole> role) {

    /** @param before the membership; empty for a new member */
    static TeamRole read(BodyReader body, Optional<TeamMemberResponse> before, boolean active) {
        var role = before.isPresent()
                ? body.changedConstant("role", TeamRole.class)
                        .orElse(before.get().role())
                : body.requiredConstant("role", TeamRole.class);
        body.verify();
        if (before.isEmpty() && !active) {
            // The user is in the path, so the error is that of the whole body.
            throw Failure.validation(List.of(new FieldError("", "deactivated_user", "This user is deactivated.")));
        }
        return role;
    }
}
