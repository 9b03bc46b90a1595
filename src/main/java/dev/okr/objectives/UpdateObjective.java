package dev.okr.objectives;

import dev.okr.objectives.cycles.Cycle;
import dev.okr.organizations.Team;
import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change an objective. An absent field stays as it is. */
@Schema(name = "UpdateObjective", description = "Changes of an objective. A field that is absent stays as it is.")
public record UpdateObjective(
        @Schema(
                implementation = String.class,
                description = "What is to be achieved.",
                minLength = 1,
                maxLength = Text.MAX_TITLE_CODE_POINTS,
                examples = "Win the trust of mid-sized customers")
        FieldChange<String> title,

        @Schema(
                implementation = String.class,
                description = "More about the objective. `null` removes it.",
                nullable = true,
                maxLength = Text.MAX_NOTE_CODE_POINTS,
                examples = "They stay when onboarding is short and support is fast.")
        FieldChange<String> description,

        @Schema(
                implementation = ObjectiveStatus.class,
                description = "How people assess the objective.",
                examples = "on_track")
        FieldChange<ObjectiveStatus> status,

        @Schema(
                implementation = String.class,
                description = "The id of the user who owns the objective.",
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        FieldChange<UUID> ownerId,

        @Schema(
                implementation = String.class,
                description = "The id of the cycle to move the objective to.",
                examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        FieldChange<UUID> cycleId,

        @Schema(
                implementation = String.class,
                nullable = true,
                description = "The id of the team to move the objective to. `null` removes it from its team.",
                examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        FieldChange<UUID> teamId) {

    static UpdateObjective read(BodyReader body) {
        var title = body.changedTitle("title");
        var description = body.clearableNote("description");
        var status = body.changedConstant("status", ObjectiveStatus.class);
        var ownerId = body.changedReference("owner_id", IdKind.USER, User::exists);
        var cycleId = body.changedReference("cycle_id", IdKind.CYCLE, Cycle::exists);
        var teamId = body.clearableReference("team_id", IdKind.TEAM, Team::exists);
        body.verify();
        return new UpdateObjective(title, description, status, ownerId, cycleId, teamId);
    }
}
