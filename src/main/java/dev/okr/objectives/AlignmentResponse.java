package dev.okr.objectives;

import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

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

        @Schema(
                description = "How much the child counts for the progress of the parent, from 0 to 1000 with at most "
                        + "3 decimals. It has no effect if the child only supports the parent.",
                minimum = "0",
                maximum = "1000",
                examples = "1")
        BigDecimal weight,

        @Schema(description = "When the alignment was created.", examples = "2027-01-04T09:00:00Z")
        Instant createdAt,

        @Schema(description = "When the weight of the alignment last changed.", examples = "2027-01-04T09:00:00Z")
        Instant updatedAt) {

    static AlignmentResponse ofNew(UUID id, CreateAlignment request, Instant now) {
        return new AlignmentResponse(
                IdKind.ALIGNMENT.format(id),
                IdKind.OBJECTIVE.format(request.parentObjectiveId()),
                IdKind.OBJECTIVE.format(request.childObjectiveId()),
                request.alignmentType(),
                request.weight(),
                now,
                now);
    }

    /** The values of the columns of {@link Alignment#TABLE}. */
    @Nullable
    Object[] row() {
        return new @Nullable Object[] {
            IdKind.ALIGNMENT.require(id),
            IdKind.OBJECTIVE.require(parentObjectiveId),
            IdKind.OBJECTIVE.require(childObjectiveId),
            EnumNames.format(alignmentType),
            weight,
            createdAt,
            updatedAt
        };
    }

    static AlignmentResponse of(Alignment alignment) {
        return new AlignmentResponse(
                IdKind.ALIGNMENT.format(alignment.id()),
                IdKind.OBJECTIVE.format(alignment.parentObjectiveId),
                IdKind.OBJECTIVE.format(alignment.childObjectiveId),
                alignment.alignmentType,
                shown(alignment.weight),
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
                shown(row.getBigDecimal("weight")),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "updated_at"));
    }

    /** An alignment of an earlier version has no weight until {@link ContributionFiller} gives it one. */
    private static BigDecimal shown(@Nullable BigDecimal weight) {
        return weight == null ? Weight.DEFAULT : weight;
    }
}
