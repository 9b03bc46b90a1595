package dev.okr.objectives.cycles;

import dev.okr.platform.http.BodyReader;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a cycle. */
@Schema(name = "CreateCycle", description = "A cycle to create.")
public record CreateCycle(
        String name,
        Instant startsAt,

        @Schema(description = "When the cycle ends. It must be later than `starts_at`.")
        Instant endsAt,

        @Nullable String externalId) {

    public static CreateCycle read(BodyReader body) {
        var name = body.requiredTitle("name");
        var startsAt = body.requiredTimestamp("starts_at");
        var endsAt = body.requiredTimestamp("ends_at");
        var externalId = body.optionalExternalId();
        checkDates(body, startsAt, endsAt);
        body.verify();
        return new CreateCycle(name, startsAt, endsAt, externalId);
    }

    /** Rejects an end that is not later than the start. */
    static void checkDates(BodyReader body, Instant startsAt, Instant endsAt) {
        if (body.isSound("starts_at", "ends_at") && !startsAt.isBefore(endsAt)) {
            body.reject("ends_at", "not_after_start", "ends_at must be later than starts_at.");
        }
    }
}
