package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Change;
import dev.okr.platform.http.Decimals;
import dev.okr.platform.http.Text;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** Changes of a key result; an absent field stays as it is. */
@Schema(name = "UpdateKeyResult", description = "Changes of a key result. A field that is absent stays as it is.")
public record UpdateKeyResult(
        @Schema(
                implementation = String.class,
                description = "What is measured.",
                minLength = 1,
                maxLength = Text.MAX_TITLE_CODE_POINTS,
                examples = "Onboarded customers")
        Change<String> title,

        @Schema(
                implementation = BigDecimal.class,
                description = "The value now, with at most 6 decimals; it stands until the next check-in.",
                minimum = Decimals.EXCLUSIVE_MIN,
                exclusiveMinimum = true,
                maximum = Decimals.EXCLUSIVE_MAX,
                exclusiveMaximum = true,
                examples = "5")
        Change<BigDecimal> currentValue,

        @Schema(
                implementation = BigDecimal.class,
                description = "The value to reach, other than the start, with at most 6 decimals.",
                minimum = Decimals.EXCLUSIVE_MIN,
                exclusiveMinimum = true,
                maximum = Decimals.EXCLUSIVE_MAX,
                exclusiveMaximum = true,
                examples = "10")
        Change<BigDecimal> targetValue) {

    static UpdateKeyResult read(BodyReader body, KeyResult keyResult) {
        var title = body.changedTitle("title");
        var currentValue = body.changedDecimal("current_value");
        var targetValue = body.changedDecimal("target_value");
        if (currentValue instanceof Change.Set<BigDecimal>(var value) && !keyResult.metricType.allows(value)) {
            body.reject("current_value", "invalid_value", "A boolean key result has only the values 0 and 1.");
        }
        if (targetValue instanceof Change.Set<BigDecimal>(var target)) {
            if (keyResult.metricType == MetricType.BOOLEAN) {
                Values.checkBooleanTarget(body, target);
            } else {
                Values.checkDistance(body, keyResult.startValue, target);
            }
        }
        body.verify();
        return new UpdateKeyResult(title, currentValue, targetValue);
    }
}
