package dev.okr.objectives.teams;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a team. Absent fields keep their values. */
@Schema(name = "UpdateTeam", description = "Changes of a team. Absent fields keep their values.")
public record UpdateTeam(
        @Schema(description = "The team's name. No other team of the organisation has it.")
        FieldChange<String> name,

        @Schema(description = "The caller's own id of the team. `null` removes it.", nullable = true)
        FieldChange<String> externalId) {

    static UpdateTeam read(BodyReader body) {
        var name = body.changedTitle("name");
        var externalId = body.clearableExternalId();
        body.verify();
        return new UpdateTeam(name, externalId);
    }
}
