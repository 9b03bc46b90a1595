package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Decimals;
import dev.okr.platform.http.Text;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a check-in. */
@Schema(name = "CreateCheckIn", description = "A check-in to create.")
public record CreateCheckIn(
        @Schema(
                description = "The current value, with at most 6 decimals. 0 or 1 for a `boolean` key result.",
                required = true,
                minimum = Decimals.EXCLUSIVE_MIN,
                exclusiveMinimum = true,
                maximum = Decimals.EXCLUSIVE_MAX,
                exclusiveMaximum = true,
                examples = "5")
        BigDecimal value,

        @Schema(
                description = "A comment on the value.",
                nullable = true,
                maxLength = Text.MAX_NOTE_CODE_POINTS,
                examples = "Two large customers went live.")
        @Nullable
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
