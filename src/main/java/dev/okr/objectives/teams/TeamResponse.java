package dev.okr.objectives.teams;

import dev.okr.platform.ids.IdKind;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A team as lists show it. */
@Schema(name = "Team", description = "A group of users that has objectives.")
public record TeamResponse(
        @Schema(description = "The team's id.", required = true, examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The team's name.", required = true, examples = "Growth")
        String name,

        @Schema(
                description = "How many users the team has.",
                required = true,
                minimum = "0",
                format = "int64",
                examples = "3")
        long membersCount,

        @Schema(
                description = "How many objectives the team has, in all cycles.",
                required = true,
                minimum = "0",
                format = "int64",
                examples = "4")
        long objectivesCount,

        @Schema(description = "When the team was created.", required = true, examples = "2026-01-05T09:00:00Z")
        Instant createdAt) {

    static TeamResponse of(CountedTeam counted) {
        var team = counted.team();
        return new TeamResponse(
                IdKind.TEAM.format(team.id()), team.name(), counted.members(), counted.objectives(), team.createdAt());
    }
}
