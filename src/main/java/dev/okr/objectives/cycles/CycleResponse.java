package dev.okr.objectives.cycles;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A cycle as the API shows it. */
@Schema(name = "Cycle", description = "A period in which objectives are pursued, such as a quarter.")
public record CycleResponse(
        @Schema(description = "The cycle's id.", examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The caller's own id of the cycle. Absent if there is none.", examples = "2027-q1")
        @Nullable
        String externalId,

        @Schema(description = "The cycle's name.", examples = "Q1 2027")
        String name,

        @Schema(description = "When the cycle starts.", examples = "2027-01-01T00:00:00Z")
        Instant startsAt,

        @Schema(
                description = "When the cycle ends. This time does not belong to the cycle.",
                examples = "2027-04-01T00:00:00Z")
        Instant endsAt,

        @Schema(
                description = "Follows from the dates. It changes at most a minute after the cycle starts or ends.",
                examples = "planned")
        CycleStatus status,

        @Schema(description = "How many objectives the cycle has.", minimum = "0", format = "int64", examples = "0")
        long objectivesCount,

        @Schema(
                description = "The mean progress of the cycle's objectives, from 0 to 1, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0")
        BigDecimal overallProgress,

        @Schema(
                description = "When an admin closed the cycle. Absent while it is open.",
                examples = "2027-04-08T09:00:00Z")
        @Nullable
        Instant closedAt,

        @Schema(
                description = "The progress when the cycle was closed, from 0 to 1. Absent while it is open.",
                minimum = "0",
                maximum = "1",
                examples = "0.7")
        @Nullable
        BigDecimal finalProgress,

        @Schema(description = "When the cycle was created.", examples = "2026-12-01T09:00:00Z")
        Instant createdAt,

        @Schema(
                description =
                        "When the cycle was last changed, closed or reopened. Changes of its objectives do not count.",
                examples = "2026-12-01T09:00:00Z")
        Instant updatedAt) {

    static CycleResponse of(Cycle cycle, long objectivesCount, BigDecimal overallProgress) {
        return new CycleResponse(
                IdKind.CYCLE.format(cycle.id()),
                cycle.externalId,
                cycle.name,
                cycle.startsAt,
                cycle.endsAt,
                cycle.status,
                objectivesCount,
                overallProgress,
                cycle.closedAt,
                cycle.finalProgress,
                cycle.createdAt,
                cycle.updatedAt);
    }

    /**
     * Reads a cycle, with the number and the sum of the progress of its objectives in {@code objectives} and
     * {@code progress}.
     *
     * @param status the status to show; the cycle mover passes the status before and the status after its change
     */
    static CycleResponse read(ResultSet row, String status) throws SQLException {
        long objectives = row.getLong("objectives");
        var progress = Objects.requireNonNullElse(row.getBigDecimal("progress"), BigDecimal.ZERO);
        return new CycleResponse(
                IdKind.CYCLE.format(Sql.uuid(row, "id")),
                row.getString("external_id"),
                row.getString("name"),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"),
                EnumNames.parse(CycleStatus.class, status).orElseThrow(),
                objectives,
                Progress.mean(progress, objectives),
                Sql.instantOrNull(row, "closed_at"),
                row.getBigDecimal("final_progress"),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }
}
