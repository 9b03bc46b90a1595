package dev.okr.objectives;

import dev.okr.objectives.progress.Progress;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A key result as lists show it. */
@Schema(name = "KeyResult", description = "How an objective's success is measured.")
public record KeyResultResponse(
        @Schema(description = "The key result's id.", examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(
                description = "The caller's own id of the key result. Absent if there is none.",
                examples = "jira-KR-12")
        @Nullable
        String externalId,

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
                description = "How much the key result counts for the progress of the objective, from 0 to 1000 with "
                        + "at most 3 decimals.",
                minimum = "0",
                maximum = "1000",
                examples = "1")
        BigDecimal weight,

        @Schema(
                description = "The confidence of the last recorded check-in, from 0 to 10. Absent if it has none.",
                minimum = "0",
                maximum = "10",
                format = "int32",
                examples = "7")
        @Nullable
        Integer confidence,

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

    public static KeyResultResponse read(ResultSet row) throws SQLException {
        return read(row, "");
    }

    /** @param prefix the prefix of the columns' names */
    static KeyResultResponse read(ResultSet row, String prefix) throws SQLException {
        return new KeyResultResponse(
                IdKind.KEY_RESULT.format(Sql.uuid(row, prefix + "id")),
                row.getString(prefix + "external_id"),
                IdKind.OBJECTIVE.format(Sql.uuid(row, prefix + "objective_id")),
                row.getString(prefix + "title"),
                EnumNames.parse(MetricType.class, row.getString(prefix + "metric_type"))
                        .orElseThrow(),
                row.getBigDecimal(prefix + "start_value"),
                row.getBigDecimal(prefix + "current_value"),
                row.getBigDecimal(prefix + "target_value"),
                row.getBigDecimal(prefix + "progress"),
                row.getBigDecimal(prefix + "weight"),
                row.getObject(prefix + "confidence", Integer.class),
                IdKind.USER.format(Sql.uuid(row, prefix + "owner_id")),
                Sql.instant(row, prefix + "created_at"),
                Sql.instant(row, prefix + "updated_at"));
    }

    /** A new key result, which is at its start. */
    static KeyResultResponse ofNew(UUID id, String objectiveId, CreateKeyResult request, UUID author, Instant now) {
        return new KeyResultResponse(
                IdKind.KEY_RESULT.format(id),
                request.externalId(),
                objectiveId,
                request.title(),
                request.metricType(),
                request.startValue(),
                request.startValue(),
                request.targetValue(),
                Progress.NONE,
                request.weight(),
                null,
                IdKind.USER.format(Objects.requireNonNullElse(request.ownerId(), author)),
                now,
                now);
    }

    /** The values of the columns of {@link KeyResult#TABLE}. */
    @Nullable
    Object[] row() {
        return new @Nullable Object[] {
            IdKind.KEY_RESULT.require(id),
            externalId,
            IdKind.OBJECTIVE.require(objectiveId),
            title,
            EnumNames.format(metricType),
            startValue,
            currentValue,
            targetValue,
            progress,
            weight,
            IdKind.USER.require(ownerId),
            createdAt,
            updatedAt
        };
    }

    /** The key result with changed fields. */
    KeyResultResponse with(UpdateKeyResult request, BigDecimal newProgress, Instant now) {
        return new KeyResultResponse(
                id,
                request.externalId().applyTo(externalId),
                objectiveId,
                request.title().orElse(title),
                metricType,
                startValue,
                request.currentValue().orElse(currentValue),
                request.targetValue().orElse(targetValue),
                newProgress,
                request.weight().orElse(weight),
                confidence,
                IdKind.USER.format(request.ownerId().orElse(IdKind.USER.require(ownerId))),
                createdAt,
                Timestamps.later(now, updatedAt));
    }

    /** The key result with the value and the confidence of the last recorded check-in. */
    KeyResultResponse with(BigDecimal newValue, @Nullable Integer newConfidence, BigDecimal newProgress, Instant now) {
        return new KeyResultResponse(
                id,
                externalId,
                objectiveId,
                title,
                metricType,
                startValue,
                newValue,
                targetValue,
                newProgress,
                weight,
                newConfidence,
                ownerId,
                createdAt,
                Timestamps.later(now, updatedAt));
    }
}
