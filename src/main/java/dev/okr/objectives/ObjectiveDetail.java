package dev.okr.objectives;

import dev.okr.organizations.tenant.TenantSql;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** An objective with its key results. */
@Schema(name = "ObjectiveDetail", description = "An objective with its key results.")
public record ObjectiveDetail(
        @Schema(description = "The objective's id.", required = true, examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(
                description = "What is to be achieved.",
                required = true,
                examples = "Win the trust of mid-sized customers")
        String title,

        @Schema(
                description = "More about the objective. Absent if there is no description.",
                examples = "They stay when onboarding is short and support is fast.")
        @Nullable
        String description,

        @Schema(
                description = "The id of the user who owns the objective.",
                required = true,
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String ownerId,

        @Schema(description = "The id of the cycle.", required = true, examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zacd")
        String cycleId,

        @Schema(
                description = "The id of the team. Absent if the objective has no team.",
                examples = "team_01k9m2x7q4e8rvb3t5w6y0zacd")
        @Nullable
        String teamId,

        @Schema(
                description = "The mean progress of the key results, from 0 to 1, with at most 4 decimals.",
                required = true,
                minimum = "0",
                maximum = "1",
                examples = "0.5")
        BigDecimal progress,

        @Schema(description = "How people assess the objective.", required = true, examples = "on_track")
        ObjectiveStatus status,

        @Schema(description = "The newest key results, at most 100.", required = true, maxItems = 100)
        List<KeyResultSummary> keyResults,

        @Schema(description = "When the objective was created.", required = true, examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When a field of the objective last changed, including its progress.",
                required = true,
                examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    private static final int MAX_KEY_RESULTS = 100;

    // One statement reads one snapshot. So the progress is the mean of the key results.
    private static final String WITH_KEY_RESULTS = """
            SELECT %s, k.id AS key_result_id, k.title AS key_result_title, k.current_value, k.target_value,
                k.progress AS key_result_progress
            FROM objective o
            LEFT JOIN key_result k ON k.organization_id = :organization AND k.objective_id = o.id
            WHERE o.organization_id = :organization AND o.id = ?
            ORDER BY k.created_at DESC, k.id DESC
            LIMIT %d
            """.formatted(Objective.TABLE.columns("o"), MAX_KEY_RESULTS);

    /** A key result as its objective shows it. */
    @Schema(name = "KeyResultSummary", description = "A key result as its objective shows it.")
    public record KeyResultSummary(
            @Schema(description = "The key result's id.", required = true, examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
            String id,

            @Schema(description = "What is measured.", required = true, examples = "Onboarded customers")
            String title,

            @Schema(description = "The current value.", required = true, examples = "5")
            BigDecimal currentValue,

            @Schema(description = "The value to reach.", required = true, examples = "10")
            BigDecimal targetValue,

            @Schema(
                    description = "The progress, from 0 to 1.",
                    required = true,
                    minimum = "0",
                    maximum = "1",
                    examples = "0.5")
            BigDecimal progress) {}

    /**
     * A row of the query. Only the first row reads the objective. A row has no key result if the objective has none.
     */
    private record Row(
            @Nullable ObjectiveResponse objective, @Nullable KeyResultSummary keyResult) {
        static Row read(ResultSet row) throws SQLException {
            var id = Sql.uuid(row, "key_result_id");
            var objective = row.getRow() == 1 ? Objective.TABLE.reader().read(row) : null;
            return new Row(objective, id == null ? null : keyResult(id, row));
        }

        private static KeyResultSummary keyResult(UUID id, ResultSet row) throws SQLException {
            return new KeyResultSummary(
                    IdKind.KEY_RESULT.format(id),
                    row.getString("key_result_title"),
                    row.getBigDecimal("current_value"),
                    row.getBigDecimal("target_value"),
                    row.getBigDecimal("key_result_progress"));
        }
    }

    /** @throws Failure if the organisation has no such objective */
    static ObjectiveDetail require(String publicId) {
        var rows = IdKind.OBJECTIVE.parse(publicId).map(ObjectiveDetail::rows).orElse(List.of());
        if (rows.isEmpty()) {
            throw Failure.notFound("objective");
        }
        var keyResults =
                rows.stream().map(Row::keyResult).filter(Objects::nonNull).toList();
        var objective = Objects.requireNonNull(rows.getFirst().objective());
        return of(objective, keyResults);
    }

    /** The detail of a new objective, without key results. */
    static ObjectiveDetail ofNew(ObjectiveResponse objective) {
        return of(objective, List.of());
    }

    private static ObjectiveDetail of(ObjectiveResponse objective, List<KeyResultSummary> keyResults) {
        return new ObjectiveDetail(
                objective.id(),
                objective.title(),
                objective.description(),
                objective.ownerId(),
                objective.cycleId(),
                objective.teamId(),
                objective.progress(),
                objective.status(),
                keyResults,
                objective.createdAt(),
                objective.updatedAt());
    }

    private static List<Row> rows(UUID id) {
        return TenantSql.current().list(Row::read, WITH_KEY_RESULTS, id);
    }
}
