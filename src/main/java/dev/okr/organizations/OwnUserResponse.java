package dev.okr.organizations;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The user of the caller's API key. */
@Schema(name = "OwnUser", description = "The user whose API key made the request.")
public record OwnUserResponse(
        @JsonUnwrapped UserResponse user,

        @Schema(
                description = "The ids of the user's teams, by the teams' names.",
                examples = "[\"team_01k9m2x7q4e8rvb3t5w6y0zacd\"]")
        List<String> teams) {

    static OwnUserResponse require(UUID userId) {
        var user = UserProfile.require(userId);
        var teams = Team.idsOf(userId).stream().map(IdKind.TEAM::format).toList();
        return new OwnUserResponse(UserResponse.of(user), teams);
    }
}
