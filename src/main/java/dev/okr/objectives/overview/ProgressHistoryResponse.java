package dev.okr.objectives.overview;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The progress over time. */
@Schema(
        name = "ProgressHistory",
        description =
                "The progress over time. It is calculated with today's objectives, key results, weights, targets and "
                        + "alignments.")
public record ProgressHistoryResponse(
        @Schema(description = "The time between two points.", examples = "week")
        HistoryInterval interval,

        @Schema(
                description = "The points, oldest first. No point is in the future.",
                maxItems = HistoryQuery.MAX_POINTS)
        List<Point> points) {

    @Schema(name = "ProgressPoint", description = "The progress at the end of an interval.")
    public record Point(
            @Schema(
                    description = "The end of the interval. The last point is at `to`, or now if that is earlier.",
                    examples = "2027-01-11T00:00:00Z")
            Instant at,

            @Schema(
                    description = "The progress at this time, from 0 to 1, with at most 4 decimals.",
                    minimum = "0",
                    maximum = "1",
                    examples = "0.25")
            BigDecimal progress) {}
}
