package dev.okr.objectives;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A key result as lists show it. */
@Schema(name = "KeyResult", description = "How an objective's success is measured.")
public record KeyResultResponse(
        @Schema(description = "The key result's id.", examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the objective.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String objectiveId,

        @Schema(description = "What is measured.", examples = "Onboarded customers")
        String title,

        @Schema(description = "What the values measure.", examples = "number")
        MetricType metricType,

        @Schema(description = "The value at the start.", examples = "0")
        BigDecimal startValue,

        @Schema(description = "The current value.", examples = "5")
        BigDecimal currentValue,

        @Schema(description = "The value to reach.", examples = "10")
        BigDecimal targetValue,

        @Schema(
                description = "The progress from start to target, from 0 to 1, with at most 4 decimals.",
                minimum = "0",
                maximum = "1",
                examples = "0.5")
        BigDecimal progress,

        @Schema(
                description = "The id of the user who owns the key result.",
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String ownerId,

        @Schema(description = "When the key result was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "When a field of the key result last changed, including its progress.",
                examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    static KeyResultResponse read(ResultSet row) throws SQLException {
        return new KeyResultResponse(
                IdKind.KEY_RESULT.format(Sql.uuid(row, "id")),
                IdKind.OBJECTIVE.format(Sql.uuid(row, "objective_id")),
                row.getString("title"),
                EnumNames.parse(MetricType.class, row.getString("metric_type")).orElseThrow(),
                row.getBigDecimal("start_value"),
                row.getBigDecimal("current_value"),
                row.getBigDecimal("target_value"),
                row.getBigDecimal("progress"),
                IdKind.USER.format(Sql.uuid(row, "owner_id")),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }

    KeyResultResponse with(
            String newTitle, BigDecimal newCurrent, BigDecimal newTarget, BigDecimal newProgress, Instant now) {
        return new KeyResultResponse(
                id,
                objectiveId,
                newTitle,
                metricType,
                startValue,
                newCurrent,
                newTarget,
                newProgress,
                ownerId,
                createdAt,
                now);
    }
}
