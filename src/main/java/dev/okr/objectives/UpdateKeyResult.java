package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Decimals;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.http.Text;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a key result. An absent field stays as it is. */
@Schema(name = "UpdateKeyResult", description = "Changes of a key result. A field that is absent stays as it is.")
public record UpdateKeyResult(
        @Schema(
                implementation = String.class,
                description = "What is measured.",
                minLength = 1,
                maxLength = Text.MAX_TITLE_CODE_POINTS,
                examples = "Onboarded customers")
        FieldChange<String> title,

        @Schema(
                implementation = BigDecimal.class,
                description = "The current value, with at most 6 decimals. The next check-in replaces it.",
                minimum = Decimals.EXCLUSIVE_MIN,
                exclusiveMinimum = true,
                maximum = Decimals.EXCLUSIVE_MAX,
                exclusiveMaximum = true,
                examples = "5")
        FieldChange<BigDecimal> currentValue,

        @Schema(
                implementation = BigDecimal.class,
                description = "The value to reach, with at most 6 decimals. It must differ from the start.",
                minimum = Decimals.EXCLUSIVE_MIN,
                exclusiveMinimum = true,
                maximum = Decimals.EXCLUSIVE_MAX,
                exclusiveMaximum = true,
                examples = "10")
        FieldChange<BigDecimal> targetValue) {

    static UpdateKeyResult read(BodyReader body, KeyResultResponse keyResult) {
        var title = body.changedTitle("title");
        var currentValue = body.changedDecimal("current_value");
        var targetValue = body.changedDecimal("target_value");
        if (currentValue instanceof FieldChange.Set<BigDecimal>(var value)) {
            keyResult.metricType().checkValue(body, "current_value", value);
        }
        if (targetValue instanceof FieldChange.Set<BigDecimal>(var target)) {
            keyResult.metricType().checkTarget(body, keyResult.startValue(), target);
        }
        body.verify();
        return new UpdateKeyResult(title, currentValue, targetValue);
    }
}
