package dev.okr.objectives;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to create several check-ins. {@link CheckInBatch} reads it. */
@Schema(name = "CreateCheckInBatch", description = "Several check-ins to create.")
public record CreateCheckInBatch(
        @Schema(
                description = "The check-ins. They apply in this order.",
                minItems = 1,
                maxItems = CheckInBatch.MAX_CHECK_INS)
        List<Item> checkIns) {

    public static final int MAX_ITEMS = CheckInBatch.MAX_CHECK_INS;

    /** One of the check-ins. */
    @Schema(
            name = "CreateCheckInItem",
            description = "A check-in to create. It has either a `value` or an `increment`.")
    public record Item(
            @Schema(description = "The id of the key result.")
            UUID keyResultId,

            @JsonUnwrapped CreateCheckIn checkIn) {}
}
