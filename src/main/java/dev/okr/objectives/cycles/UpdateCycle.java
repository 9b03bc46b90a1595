package dev.okr.objectives.cycles;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a cycle. Absent fields keep their values. */
@Schema(name = "UpdateCycle", description = "Changes of a cycle. Absent fields keep their values.")
public record UpdateCycle(
        FieldChange<String> name,
        FieldChange<Instant> startsAt,
        FieldChange<Instant> endsAt,

        @Schema(description = "The caller's own id of the cycle. `null` removes it.", nullable = true)
        FieldChange<String> externalId) {

    public static UpdateCycle read(BodyReader body, CycleResponse cycle) {
        var name = body.changedTitle("name");
        var startsAt = changed(body, "starts_at", cycle.startsAt());
        var endsAt = changed(body, "ends_at", cycle.endsAt());
        var externalId = body.clearableExternalId();
        CreateCycle.checkDates(body, startsAt, endsAt);
        body.verify();
        return new UpdateCycle(name, new FieldChange.Set<>(startsAt), new FieldChange.Set<>(endsAt), externalId);
    }

    private static Instant changed(BodyReader body, String field, Instant before) {
        return Timestamps.changed(before, body.changedTimestamp(field).orElse(before));
    }
}
