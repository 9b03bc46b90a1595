package dev.okr.objectives;

import dev.okr.objectives.cycles.Cycle;
import dev.okr.organizations.Team;
import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create an objective. */
@Schema(name = "CreateObjective", description = "An objective to create.")
public record CreateObjective(
        @Schema(
                description = "What is to be achieved.",
                required = true,
                minLength = 1,
                maxLength = Text.MAX_TITLE_CODE_POINTS,
                examples = "Win the trust of mid-sized customers")
        String title,

        @Schema(
                description = "More about the objective.",
                nullable = true,
                maxLength = Text.MAX_NOTE_CODE_POINTS,
                examples = "They stay when onboarding is short and support is fast.")
        @Nullable
        String description,

        @Schema(
                implementation = String.class,
                description = "The id of the cycle.",
                required = true,
                examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        UUID cycleId,

        @Schema(
                implementation = String.class,
                description = "The id of the team.",
                nullable = true,
                examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        @Nullable
        UUID teamId,

        @Schema(
                implementation = String.class,
                description = "The id of the user who owns the objective. The default is the caller.",
                nullable = true,
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        @Nullable
        UUID ownerId) {

    static CreateObjective read(BodyReader body) {
        var title = body.requiredTitle("title");
        var description = body.optionalNote("description");
        var cycleId = body.requiredReference("cycle_id", IdKind.CYCLE, Cycle::exists);
        var teamId = body.optionalReference("team_id", IdKind.TEAM, Team::exists);
        var ownerId = body.optionalReference("owner_id", IdKind.USER, User::exists);
        body.verify();
        return new CreateObjective(title, description, cycleId, teamId, ownerId);
    }
}
