package dev.okr.objectives.overview;

import dev.okr.objectives.ObjectiveStatus;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The number of objectives of each status. */
@Schema(name = "StatusCounts", description = "How many objectives have each status.")
public record StatusCounts(
        @Schema(minimum = "0", format = "int64", examples = "1")
        long notStarted,

        @Schema(minimum = "0", format = "int64", examples = "5")
        long onTrack,

        @Schema(minimum = "0", format = "int64", examples = "2")
        long atRisk,

        @Schema(minimum = "0", format = "int64", examples = "1")
        long behind,

        @Schema(minimum = "0", format = "int64", examples = "3")
        long completed) {

    static StatusCounts of(Standing standing) {
        return new StatusCounts(
                standing.count(ObjectiveStatus.NOT_STARTED),
                standing.count(ObjectiveStatus.ON_TRACK),
                standing.count(ObjectiveStatus.AT_RISK),
                standing.count(ObjectiveStatus.BEHIND),
                standing.count(ObjectiveStatus.COMPLETED));
    }
}
