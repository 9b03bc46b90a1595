package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a check-in. */
@Schema(name = "CreateCheckIn", description = "A check-in to create.")
public record CreateCheckIn(
        @Schema(description = "The current value, with at most 6 decimals. 0 or 1 for a `boolean` key result.")
        BigDecimal value,

        @Schema(description = "A comment on the value.") @Nullable
        String note) {

    static CreateCheckIn read(BodyReader body, MetricType metricType) {
        var value = body.requiredDecimal("value");
        var note = body.optionalNote("note");
        if (body.isSound("value")) {
            metricType.checkValue(body, "value", value);
        }
        body.verify();
        return new CreateCheckIn(value, note);
    }
}
