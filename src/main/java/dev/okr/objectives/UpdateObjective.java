package dev.okr.objectives;

import dev.okr.objectives.cycles.Cycle;
import dev.okr.organizations.Team;
import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change an objective. Absent fields keep their values. */
@Schema(name = "UpdateObjective", description = "Changes of an objective. Absent fields keep their values.")
public record UpdateObjective(
        FieldChange<String> title,

        @Schema(description = "More about the objective. `null` removes it.", nullable = true)
        FieldChange<String> description,

        FieldChange<ObjectiveStatus> status,
        FieldChange<UUID> ownerId,

        @Schema(description = "The id of the cycle to move the objective to.")
        FieldChange<UUID> cycleId,

        @Schema(
                description = "The id of the team to move the objective to. `null` removes it from its team.",
                nullable = true)
        FieldChange<UUID> teamId,

        @Schema(
                description =
                        "How well the objective was reached, from 0 to 1, with at most 2 decimals. It can be changed "
                                + "while the cycle is `completed` and not closed. `null` removes it.",
                minimum = "0",
                maximum = "1",
                nullable = true)
        FieldChange<BigDecimal> score,

        @Schema(
                description =
                        "What was learned. It can be changed while the cycle is `completed` and not closed. `null` "
                                + "removes it.",
                nullable = true)
        FieldChange<String> retrospective,

        @Schema(description = "The caller's own id of the objective. `null` removes it.", nullable = true)
        FieldChange<String> externalId) {

    private static final BigDecimal MAX_SCORE = BigDecimal.ONE;
    private static final int MAX_SCORE_DECIMALS = 2;

    /** @param owner the present owner, who stays the owner when deactivated */
    static UpdateObjective read(BodyReader body, UUID owner) {
        var title = body.changedTitle("title");
        var description = body.clearableNote("description");
        var status = body.changedConstant("status", ObjectiveStatus.class);
        var ownerId = body.changedReference("owner_id", IdKind.USER, User::exists);
        User.rejectDeactivated(body, "owner_id", ownerId.orElse(owner), owner);
        var cycleId = body.changedReference("cycle_id", IdKind.CYCLE, Cycle::exists);
        var teamId = body.clearableReference("team_id", IdKind.TEAM, Team::exists);
        var score = body.clearableDecimal("score", MAX_SCORE, MAX_SCORE_DECIMALS);
        var retrospective = body.clearableNote("retrospective");
        var externalId = body.clearableExternalId();
        body.verify();
        return new UpdateObjective(
                title, description, status, ownerId, cycleId, teamId, score, retrospective, externalId);
    }
}
