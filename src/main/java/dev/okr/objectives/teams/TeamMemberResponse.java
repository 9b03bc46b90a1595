package dev.okr.objectives.teams;

import dev.okr.organizations.TeamRole;
import dev.okr.platform.ids.IdKind;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A membership. It has no name of a person, so that its events need not be erased with the person's data. */
@Schema(name = "TeamMember", description = "The membership of a user in a team.")
public record TeamMemberResponse(
        @Schema(description = "The team's id.", examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        String teamId,

        @Schema(description = "The user's id.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String userId,

        @Schema(description = "The user's role in the team.", examples = "lead")
        TeamRole role) {

    static TeamMemberResponse of(UUID teamId, UUID userId, TeamRole role) {
        return new TeamMemberResponse(IdKind.TEAM.format(teamId), IdKind.USER.format(userId), role);
    }
}
