package dev.okr.objectives.cycles;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A cycle as the API shows it. */
@Schema(name = "Cycle", description = "A period in which objectives are pursued, such as a quarter.")
public record CycleResponse(
        @Schema(description = "The cycle's id.", required = true, examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The cycle's name.", required = true, examples = "Q1 2027")
        String name,

        @Schema(description = "When the cycle starts.", required = true, examples = "2027-01-01T00:00:00Z")
        Instant startsAt,

        @Schema(
                description = "When the cycle ends. This time does not belong to the cycle.",
                required = true,
                examples = "2027-04-01T00:00:00Z")
        Instant endsAt,

        @Schema(
                description = "Follows from the dates. It changes at most a minute after the cycle starts or ends.",
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

    static CycleResponse read(ResultSet row, CycleTotals totals) throws SQLException {
        return read(row, row.getString("status"), Sql.instant(row, "updated_at"), totals);
    }

    /** Reads a cycle as it is after a change of its status. */
    static CycleResponse read(ResultSet row, String status, Instant updatedAt, CycleTotals totals) throws SQLException {
        return new CycleResponse(
                IdKind.CYCLE.format(Sql.uuid(row, "id")),
                row.getString("name"),
                Sql.instant(row, "starts_at"),
                Sql.instant(row, "ends_at"),
                EnumNames.parse(CycleStatus.class, status).orElseThrow(),
                totals.objectives(),
                totals.progress(),
                Sql.instant(row, "created_at"),
                updatedAt);
    }

    CycleResponse with(CycleTotals totals) {
        return new CycleResponse(
                id, name, startsAt, endsAt, status, totals.objectives(), totals.progress(), createdAt, updatedAt);
    }

    static CycleResponse of(Cycle cycle, CycleTotals totals) {
        return new CycleResponse(
                IdKind.CYCLE.format(cycle.id()),
                cycle.name,
                cycle.startsAt,
                cycle.endsAt,
                cycle.status,
                totals.objectives(),
                totals.progress(),
                cycle.createdAt,
                cycle.updatedAt);
    }
}
