package dev.okr.objectives;

import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** A deleted objective as the API shows it. */
@Schema(name = "DeletedObjective", description = "A deleted objective that can be restored.")
public record DeletedObjectiveResponse(
        @Schema(description = "The objective's id.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "What is to be achieved.", examples = "Win the trust of mid-sized customers")
        String title,

        @Schema(
                description = "When the objective was deleted. It can be restored for 30 days.",
                examples = "2027-01-11T09:00:00Z")
        Instant deletedAt,

        @Schema(
                description = "The id of the user who deleted the objective.",
                examples = "usr_01k9m2x7q4e8rvb3t5w6y0zacd")
        String deletedBy,

        @Schema(
                description = "How many key results were deleted with the objective.",
                minimum = "0",
                format = "int64",
                examples = "2")
        long keyResultsCount,

        @Schema(
                description = "How many check-ins were deleted with the objective.",
                minimum = "0",
                format = "int64",
                examples = "12")
        long checkInsCount,

        @Schema(
                description = "How many alignments were deleted with the objective.",
                minimum = "0",
                format = "int64",
                examples = "1")
        long alignmentsCount) {

    /** Whether it has few enough check-ins to be restored. */
    public boolean restorable() {
        return checkInsCount <= DeletedObjective.MAX_RESTORED_CHECK_INS;
    }

    /** Lists the objectives that were deleted in the last 30 days, last deleted first. */
    public static Slice<DeletedObjectiveResponse> list(ListQuery query) {
        return DeletedObjective.list(query);
    }

    static DeletedObjectiveResponse read(ResultSet row) throws SQLException {
        return new DeletedObjectiveResponse(
                IdKind.OBJECTIVE.format(Sql.uuid(row, "id")),
                row.getString("title"),
                Sql.instant(row, "deleted_at"),
                IdKind.USER.format(Sql.uuid(row, "deleted_by")),
                row.getLong("key_results_count"),
                row.getLong("check_ins_count"),
                row.getLong("alignments_count"));
    }
}
