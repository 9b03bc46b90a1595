package dev.okr.objectives.cycles;

import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A cycle as the API shows it. */
@Schema(name = "Cycle", description = "A period in which objectives are pursued, such as a quarter.")
public record CycleResponse(
        @Schema(description = "The cycle's id.", required = true, examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The cycle's name.", required = true, examples = "Q1 2027")
        String name,

        @Schema(description = "The first moment of the cycle.", required = true, examples = "2027-01-01T00:00:00Z")
        Instant startsAt,

        @Schema(description = "The first moment after the cycle.", required = true, examples = "2027-04-01T00:00:00Z")
        Instant endsAt,

        @Schema(
                description = "Where time stands in the cycle; it follows the dates, at most a minute behind.",
                required = true,
                examples = "planned")
        CycleStatus status,

        @Schema(
                description = "How many objectives the cycle has.",
                required = true,
                minimum = "0",
                format = "int64",
                examples = "0")
        long objectivesCount,

        @Schema(
                description = "The mean progress of the cycle's objectives, from 0 to 1, with at most 4 decimals.",
                required = true,
                minimum = "0",
                maximum = "1",
                examples = "0")
        BigDecimal overallProgress,

        @Schema(description = "When the cycle was created.", required = true, examples = "2026-12-01T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When the cycle's name, dates or status last changed.",
                required = true,
                examples = "2026-12-01T09:00:00Z")
        Instant updatedAt) {

    static CycleResponse of(Cycle cycle, Aggregates aggregates) {
        return new CycleResponse(
                IdKind.CYCLE.format(cycle.id()),
                cycle.name,
                cycle.startsAt,
                cycle.endsAt,
                cycle.status,
                aggregates.objectives(),
                aggregates.progress(),
                cycle.createdAt,
                cycle.updatedAt);
    }
}
