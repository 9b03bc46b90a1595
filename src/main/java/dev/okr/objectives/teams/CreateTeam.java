package dev.okr.objectives.teams;

import dev.okr.platform.http.BodyReader;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a team. */
@Schema(name = "CreateTeam", description = "A team to create. It has no members.")
public record CreateTeam(
        @Schema(description = "The team's name. No other team of the organisation has it.")
        String name,

        @Nullable String externalId) {

    static CreateTeam read(BodyReader body) {
        var name = body.requiredTitle("name");
        var externalId = body.optionalExternalId();
        body.verify();
        return new CreateTeam(name, externalId);
    }
}
