package dev.okr.objectives;

import dev.okr.objectives.cycles.Cycle;
import dev.okr.organizations.Team;
import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create an objective. */
@Schema(name = "CreateObjective", description = "An objective to create.")
public record CreateObjective(
        String title,

        @Schema(description = "More about the objective.") @Nullable
        String description,

        UUID cycleId,

        @Schema(description = "The id of the team.") @Nullable
        UUID teamId,

        @Schema(description = "The id of the user who owns the objective. The default is the caller.") @Nullable
        UUID ownerId,

        @Nullable String externalId) {

    static CreateObjective read(BodyReader body) {
        var request = readFields(body);
        body.verify();
        return request;
    }

    /** Reads one objective of several. The caller verifies the body. */
    static CreateObjective readFields(BodyReader body) {
        var title = body.requiredTitle("title");
        var description = body.optionalNote("description");
        var cycleId = body.requiredReference("cycle_id", IdKind.CYCLE, Cycle::exists);
        var teamId = body.optionalReference("team_id", IdKind.TEAM, Team::exists);
        var ownerId = body.optionalReference("owner_id", IdKind.USER, User::exists);
        User.rejectDeactivated(body, "owner_id", ownerId, null);
        var externalId = body.optionalExternalId();
        return new CreateObjective(title, description, cycleId, teamId, ownerId, externalId);
    }
}
