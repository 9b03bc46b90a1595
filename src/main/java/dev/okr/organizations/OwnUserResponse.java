package dev.okr.organizations;

import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The user of the caller's API key. */
@Schema(name = "OwnUser", description = "The user whose API key made the request.")
public record OwnUserResponse(
        @Schema(description = "The user's id.", required = true, examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The user's full name.", required = true, examples = "Ada Lovelace")
        String name,

        @Schema(
                description = "The address that identifies the user.",
                required = true,
                format = "email",
                examples = "ada@demo.example")
        String email,

        @Schema(description = "What the user may do in the organisation.", required = true, examples = "admin")
        Role role,

        @Schema(
                description = "The ids of the user's teams, by the teams' names.",
                required = true,
                examples = "[\"team_01k9m2x7q4e8rvb3t5w6y0zacd\"]")
        List<String> teams,

        @Schema(description = "When the user was created.", required = true, examples = "2026-01-05T09:00:00Z")
        Instant createdAt) {

    public static OwnUserResponse of(User user, List<UUID> teamIds) {
        return new OwnUserResponse(
                IdKind.USER.format(user.id()),
                user.name,
                user.email,
                user.role,
                teamIds.stream().map(IdKind.TEAM::format).toList(),
                user.createdAt);
    }
}
