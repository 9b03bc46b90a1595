package dev.okr.objectives;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create several objectives with their key results. {@link ObjectiveBatch} reads it. */
@Schema(name = "CreateObjectiveBatch", description = "Several objectives to create.")
public record CreateObjectiveBatch(
        @Schema(
                description = "The objectives. Together they have at most 1,000 key results.",
                minItems = 1,
                maxItems = ObjectiveBatch.MAX_OBJECTIVES)
        List<Item> objectives) {

    /** One of the objectives. */
    @Schema(name = "CreateObjectiveItem", description = "An objective to create, with its key results.")
    public record Item(
            @JsonUnwrapped CreateObjective objective,

            @Schema(
                    description = "The key results to create.",
                    implementation = CreateKeyResult[].class,
                    minItems = 1,
                    maxItems = ObjectiveBatch.MAX_KEY_RESULTS)
            @Nullable
            List<CreateKeyResult> keyResults) {}
}
