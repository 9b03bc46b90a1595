package dev.okr.objectives;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An objective as lists show it. */
@Schema(name = "Objective", description = "What an organisation wants to achieve in a cycle.")
public record ObjectiveResponse(
        @Schema(description = "The objective's id.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(
                description = "The caller's own id of the objective. Absent if there is none.",
                examples = "jira-PLAN-7")
        @Nullable
        String externalId,

        @Schema(description = "What is to be achieved.", examples = "Win the trust of mid-sized customers")
        String title,

        @Schema(
                description = "More about the objective. Absent if there is no description.",
                examples = "They stay when onboarding is short and support is fast.")
        @Nullable
        String description,

        @Schema(description = "The id of the user who owns the objective.", examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String ownerId,

        @Schema(description = "The id of the cycle.", examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String cycleId,

        @Schema(
                description = "The id of the team. Absent if the objective has no team.",
                examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        @Nullable
        String teamId,

        @Schema(
                description = "The weighted mean of the progress of the key results and of the children that "
                        + "contribute, from 0 to 1, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.5")
        BigDecimal progress,

        @Schema(description = "How people assess the objective.", examples = "on_track")
        ObjectiveStatus status,

        @Schema(
                description =
                        "People's rating of the result after the end of the cycle, from 0 to 1. Absent if nobody has "
                                + "scored it.",
                minimum = "0",
                maximum = "1",
                examples = "0.7")
        @Nullable
        BigDecimal score,

        @Schema(
                description = "What was learned. Absent if nothing was written.",
                examples = "Onboarding got shorter, but we started too late.")
        @Nullable
        String retrospective,

        @Schema(
                description = "The id of the original objective in another cycle. Absent if it was not carried over. "
                        + "The original may have been deleted.",
                examples = "obj_01k9m2x7q4e8rvb3t5w6y0zace")
        @Nullable
        String carriedOverFrom,

        @Schema(description = "When the objective was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When a field of the objective last changed, including its progress.",
                examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    static ObjectiveResponse of(Objective objective) {
        return new ObjectiveResponse(
                IdKind.OBJECTIVE.format(objective.id()),
                objective.externalId,
                objective.title,
                objective.description,
                IdKind.USER.format(objective.ownerId),
                IdKind.CYCLE.format(objective.cycleId),
                objective.teamId == null ? null : IdKind.TEAM.format(objective.teamId),
                objective.progress,
                objective.status,
                objective.score,
                objective.retrospective,
                objective.carriedOverFrom == null ? null : IdKind.OBJECTIVE.format(objective.carriedOverFrom),
                objective.createdAt,
                objective.updatedAt);
    }

    public static ObjectiveResponse read(ResultSet row) throws SQLException {
        var teamId = Sql.uuid(row, "team_id");
        var carriedOverFrom = Sql.uuid(row, "carried_over_from");
        return new ObjectiveResponse(
                IdKind.OBJECTIVE.format(Sql.uuid(row, "id")),
                row.getString("external_id"),
                row.getString("title"),
                row.getString("description"),
                IdKind.USER.format(Sql.uuid(row, "owner_id")),
                IdKind.CYCLE.format(Sql.uuid(row, "cycle_id")),
                teamId == null ? null : IdKind.TEAM.format(teamId),
                row.getBigDecimal("progress"),
                EnumNames.parse(ObjectiveStatus.class, row.getString("status")).orElseThrow(),
                row.getBigDecimal("score"),
                row.getString("retrospective"),
                carriedOverFrom == null ? null : IdKind.OBJECTIVE.format(carriedOverFrom),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }

    ObjectiveResponse withProgress(BigDecimal newProgress, Instant now) {
        return new ObjectiveResponse(
                id,
                externalId,
                title,
                description,
                ownerId,
                cycleId,
                teamId,
                newProgress,
                status,
                score,
                retrospective,
                carriedOverFrom,
                createdAt,
                now);
    }
}
