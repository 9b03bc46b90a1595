package dev.okr.objectives;

import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** A check-in as the API shows it. */
@Schema(name = "CheckIn", description = "A progress update on a key result.")
public record CheckInResponse(
        @Schema(description = "The check-in's id.", examples = "ci_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the key result.", examples = "kr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String keyResultId,

        @Schema(description = "The value at the time.", examples = "5")
        BigDecimal value,

        @Schema(
                description = "A comment on the value. Absent if there is none.",
                examples = "Two large customers went live.")
        @Nullable
        String note,

        @Schema(
                description = "The id of the user who created the check-in.",
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String authorId,

        @Schema(description = "When the check-in was created.", examples = "2027-01-11T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the check-in was last changed.", examples = "2027-01-11T09:00:00Z")
        Instant updatedAt) {

    static CheckInResponse read(ResultSet row) throws SQLException {
        return new CheckInResponse(
                IdKind.CHECK_IN.format(Sql.uuid(row, "id")),
                IdKind.KEY_RESULT.format(Sql.uuid(row, "key_result_id")),
                row.getBigDecimal("value"),
                row.getString("note"),
                IdKind.USER.format(Sql.uuid(row, "author_id")),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }
}
