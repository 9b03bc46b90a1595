package dev.okr.objectives.cycles;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.http.Text;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a cycle. An absent field stays as it is. */
@Schema(name = "UpdateCycle", description = "Changes of a cycle. A field that is absent stays as it is.")
public record UpdateCycle(
        @Schema(
                implementation = String.class,
                description = "The cycle's name.",
                minLength = 1,
                maxLength = Text.MAX_TITLE_CODE_POINTS,
                examples = "Q1 2027")
        FieldChange<String> name,

        @Schema(
                implementation = Instant.class,
                description = "When the cycle starts.",
                examples = "2027-01-01T00:00:00Z")
        FieldChange<Instant> startsAt,

        @Schema(implementation = Instant.class, description = "When the cycle ends.", examples = "2027-04-01T00:00:00Z")
        FieldChange<Instant> endsAt) {

    static UpdateCycle read(BodyReader body, Cycle cycle) {
        var name = body.changedTitle("name");
        var startsAt = body.changedTimestamp("starts_at");
        var endsAt = body.changedTimestamp("ends_at");
        CreateCycle.checkDates(body, startsAt.orElse(cycle.startsAt), endsAt.orElse(cycle.endsAt));
        body.verify();
        return new UpdateCycle(name, startsAt, endsAt);
    }
}
