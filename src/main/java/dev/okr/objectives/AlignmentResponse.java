package dev.okr.objectives;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** An alignment as the API shows it. */
@Schema(name = "Alignment", description = "A child objective that serves a parent objective.")
public record AlignmentResponse(
        @Schema(description = "The alignment's id.", examples = "align_01k9m2x7q4e8rvb3t5w6y0zacd")
        String id,

        @Schema(description = "The id of the parent objective.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zacd")
        String parentObjectiveId,

        @Schema(description = "The id of the child objective.", examples = "obj_01k9m2x7q4e8rvb3t5w6y0zace")
        String childObjectiveId,

        @Schema(description = "How the child serves the parent.", examples = "supports")
        AlignmentType alignmentType,

        @Schema(description = "When the alignment was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(
                description = "Equals `created_at`, because alignments do not change.",
                examples = "2027-01-04T09:00:00Z")
        Instant updatedAt) {

    static AlignmentResponse of(Alignment alignment) {
        return new AlignmentResponse(
                IdKind.ALIGNMENT.format(alignment.id()),
                IdKind.OBJECTIVE.format(alignment.parentObjectiveId),
                IdKind.OBJECTIVE.format(alignment.childObjectiveId),
                alignment.alignmentType,
                alignment.createdAt,
                alignment.updatedAt);
    }

    static AlignmentResponse read(ResultSet row) throws SQLException {
        return new AlignmentResponse(
                IdKind.ALIGNMENT.format(Sql.uuid(row, "id")),
                IdKind.OBJECTIVE.format(Sql.uuid(row, "parent_objective_id")),
                IdKind.OBJECTIVE.format(Sql.uuid(row, "child_objective_id")),
                EnumNames.parse(AlignmentType.class, row.getString("alignment_type"))
                        .orElseThrow(),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }
}
