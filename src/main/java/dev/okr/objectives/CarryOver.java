package dev.okr.objectives;

import dev.okr.objectives.cycles.Cycle;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to copy objectives of a cycle into another one. */
@Schema(name = "CarryOver", description = "What to copy into another cycle.")
public record CarryOver(
        @Schema(
                description = "The id of the cycle to copy to. It must not be closed.",
                implementation = String.class,
                examples = "cyc_01k9m2x7q4e8rvb3t5w6y0zace")
        UUID to,

        @Schema(
                description = "The ids of the objectives to copy. The default is all objectives of the cycle whose "
                        + "progress is below 1. At most 1,000 objectives are copied.",
                implementation = String[].class,
                minItems = 1,
                maxItems = CarryOver.MAX_OBJECTIVES)
        @Nullable
        List<UUID> objectiveIds,

        @Schema(
                description = "`keep` starts each key result at its current value and leaves out key results with "
                        + "progress 1. `restart` starts each key result where the original started.",
                examples = "keep")
        CarriedValues values) {

    static final int MAX_OBJECTIVES = 1_000;

    static final String TO = "to";
    static final String OBJECTIVE_IDS = "objective_ids";

    /** @param ofCycle returns the given ids that belong to objectives of the cycle to copy from */
    static CarryOver read(BodyReader body, UUID from, UnaryOperator<Set<UUID>> ofCycle) {
        var to = body.requiredReference(TO, IdKind.CYCLE, Cycle::exists);
        var objectiveIds = body.optionalReferences(OBJECTIVE_IDS, IdKind.OBJECTIVE, ofCycle, MAX_OBJECTIVES);
        var values = body.requiredConstant("values", CarriedValues.class);
        if (body.isSound(TO) && to.equals(from)) {
            body.reject(TO, "equals_source", "A cycle cannot be carried over to itself.");
        }
        body.verify();
        return new CarryOver(to, objectiveIds, values);
    }
}
