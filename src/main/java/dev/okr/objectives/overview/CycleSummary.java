package dev.okr.objectives.overview;

import dev.okr.objectives.cycles.CycleStatus;
import dev.okr.objectives.progress.Pace;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The standing of a cycle and of each team in it. */
@Schema(name = "CycleSummary", description = "The standing of a cycle and of each team in it.")
public record CycleSummary(
        @Schema(description = "The id of the cycle.", examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String cycleId,

        @Schema(description = "The name of the cycle.", examples = "Q1 2027")
        String name,

        @Schema(description = "The status of the cycle.", examples = "active")
        CycleStatus status,

        @Schema(description = "How many objectives the cycle has.", minimum = "0", format = "int64", examples = "12")
        long objectivesCount,

        @Schema(description = "How many objectives have each status.")
        StatusCounts counts,

        @Schema(
                description = "The mean progress of the objectives, from 0 to 1, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.4")
        BigDecimal progress,

        @Schema(
                description = "The elapsed part of the cycle, from 0 to 1, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.57")
        BigDecimal expectedProgress,

        @Schema(
                description = "How many key results were created more than 14 days ago and have no check-in from the "
                        + "last 14 days.",
                minimum = "0",
                format = "int64",
                examples = "3")
        long staleKeyResults,

        @Schema(
                description =
                        "The teams that have objectives in the cycle, by name. Objectives without a team come first.")
        List<Team> teams) {

    public static final Duration STALE_AFTER = Duration.ofDays(14);

    /** Far above the default limit of teams. */
    private static final int MAX_TEAMS = 10_000;

    /** Counts the key results that need a check-in. */
    static final String COUNT_STALE = """
            SELECT count(*) FROM objective o
            JOIN key_result k ON k.organization_id = ? AND k.objective_id = o.id
            WHERE o.organization_id = ? AND o.cycle_id = ? AND k.created_at < ? AND NOT EXISTS (
                SELECT 1 FROM check_in c WHERE c.organization_id = ? AND c.key_result_id = k.id
                    AND coalesce(c.recorded_at, c.created_at) >= ?)
            """;

    /** The standing of one team. */
    @Schema(name = "TeamSummary", description = "The standing of a team's objectives in a cycle.")
    public record Team(
            @Schema(
                    description = "The id of the team. Absent for the objectives without a team.",
                    examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
            @Nullable
            String teamId,

            @Schema(
                    description = "The name of the team. Absent for the objectives without a team.",
                    examples = "Growth")
            @Nullable
            String name,

            @Schema(
                    description = "How many objectives the team has in the cycle.",
                    minimum = "0",
                    format = "int64",
                    examples = "4")
            long objectivesCount,

            @Schema(description = "How many of them have each status.")
            StatusCounts counts,

            @Schema(
                    description = "Their mean progress, from 0 to 1, with at most 4 decimals.",
                    minimum = "0",
                    maximum = "1",
                    examples = "0.4")
            BigDecimal progress) {

        static Team of(Standings.Team team) {
            return new Team(
                    team.id() == null ? null : IdKind.TEAM.format(team.id()),
                    team.name(),
                    team.standing().objectives(),
                    StatusCounts.of(team.standing()),
                    team.standing().progress());
        }
    }

    /**
     * Reads a summary in the snapshot of the transaction.
     *
     * @throws Failure if the organisation has no such cycle
     */
    static CycleSummary require(Sql sql, UUID organizationId, String publicId, Instant now) throws SQLException {
        var cycle = CycleChoice.require(sql, organizationId, publicId);
        var standings = Standings.of(sql, organizationId, cycle.id(), MAX_TEAMS);
        return new CycleSummary(
                publicId,
                cycle.name(),
                cycle.status(),
                standings.whole().objectives(),
                StatusCounts.of(standings.whole()),
                standings.whole().progress(),
                Pace.expected(cycle.startsAt(), cycle.endsAt(), now),
                countStale(sql, organizationId, cycle.id(), now),
                standings.teams().stream().map(Team::of).toList());
    }

    private static long countStale(Sql sql, UUID organizationId, UUID cycleId, Instant now) throws SQLException {
        return sql.first(row -> row.getLong(1), COUNT_STALE, staleParameters(organizationId, cycleId, now))
                .orElseThrow();
    }

    /** The parameters of {@link #COUNT_STALE}. */
    static Object[] staleParameters(UUID organizationId, UUID cycleId, Instant now) {
        var staleSince = now.minus(STALE_AFTER);
        return new Object[] {organizationId, organizationId, cycleId, staleSince, organizationId, staleSince};
    }
}
