package dev.okr.objectives;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A check-in as the API shows it. */
@Schema(name = "CheckIn", description = "A progress update on a key result.")
public record CheckInResponse(
        @Schema(description = "The check-in's id.", examples = "ci_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The caller's own id of the check-in. Absent if there is none.", examples = "jira-CI-99")
        @Nullable
        String externalId,

        @Schema(description = "The id of the key result.", examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String keyResultId,

        @Schema(description = "The id of the key result's objective.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String objectiveId,

        @Schema(description = "The value at the time.", examples = "5")
        BigDecimal value,

        @Schema(
                description = "A comment on the value. Absent if there is none.",
                examples = "Two large customers went live.")
        @Nullable
        String note,

        @Schema(
                description = "How confident the author is that the target will be reached, from 0 to 10. Absent if "
                        + "nothing was said.",
                minimum = "0",
                maximum = "10",
                format = "int32",
                examples = "7")
        @Nullable
        Integer confidence,

        @Schema(
                description = "The id of the user who created the check-in.",
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String authorId,

        @Schema(
                description = "When the value was measured. The list is ordered by this time.",
                examples = "2027-01-11T09:00:00Z")
        Instant recordedAt,

        @Schema(description = "When the check-in was created.", examples = "2027-01-11T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the check-in was last changed.", examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    /** The check-in with the changes of a request. */
    CheckInResponse with(UpdateCheckIn request, Instant now) {
        return new CheckInResponse(
                id,
                request.externalId().applyTo(externalId),
                keyResultId,
                objectiveId,
                request.value().orElse(value),
                request.note().applyTo(note),
                request.confidence().applyTo(confidence),
                authorId,
                Timestamps.changed(recordedAt, request.recordedAt().orElse(recordedAt)),
                createdAt,
                Timestamps.later(now, updatedAt));
    }

    /** Whether all fields that a request can change are the same. */
    boolean isSameAs(CheckInResponse other) {
        return value.compareTo(other.value) == 0
                && Objects.equals(note, other.note)
                && Objects.equals(confidence, other.confidence)
                && Objects.equals(externalId, other.externalId)
                && recordedAt.equals(other.recordedAt);
    }

    static CheckInResponse read(ResultSet row) throws SQLException {
        var createdAt = Sql.instant(row, "created_at");
        return new CheckInResponse(
                IdKind.CHECK_IN.format(Sql.uuid(row, "id")),
                row.getString("external_id"),
                IdKind.KEY_RESULT.format(Sql.uuid(row, "key_result_id")),
                IdKind.OBJECTIVE.format(Sql.uuid(row, "objective_id")),
                row.getBigDecimal("value"),
                row.getString("note"),
                row.getObject("confidence", Integer.class),
                IdKind.USER.format(Sql.uuid(row, "author_id")),
                // The previous version of the service does not write this column.
                Objects.requireNonNullElse(Sql.instantOrNull(row, "recorded_at"), createdAt),
                createdAt,
                Sql.instant(row, "updated_at"));
    }
}
