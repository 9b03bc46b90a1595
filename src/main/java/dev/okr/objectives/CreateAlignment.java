package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to create an alignment. */
@Schema(name = "CreateAlignment", description = "An alignment to create.")
public record CreateAlignment(
        UUID parentObjectiveId,

        @Schema(description = "The id of the child objective. It must differ from the parent.")
        UUID childObjectiveId,

        @Schema(nullable = true, defaultValue = "supports") AlignmentType alignmentType,

        @Schema(nullable = true, minimum = "0", maximum = "1000")
        BigDecimal weight) {

    private static final String PARENT = "parent_objective_id";
    private static final String CHILD = "child_objective_id";

    static CreateAlignment read(BodyReader body) {
        var parent = body.requiredReference(PARENT, IdKind.OBJECTIVE, Objective::exists);
        var child = body.requiredReference(CHILD, IdKind.OBJECTIVE, Objective::exists);
        var type = body.optionalConstant("alignment_type", AlignmentType.class);
        if (body.isSound(PARENT, CHILD) && parent.equals(child)) {
            body.reject(CHILD, "equals_parent", "An objective cannot be aligned with itself.");
        }
        var weight = Weight.readOrDefault(body);
        body.verify();
        return new CreateAlignment(parent, child, Objects.requireNonNullElse(type, AlignmentType.SUPPORTS), weight);
    }
}
