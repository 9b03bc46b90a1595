package dev.okr.objectives;

import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a key result. */
@Schema(name = "CreateKeyResult", description = "A key result to create.")
public record CreateKeyResult(
        String title,
        MetricType metricType,

        @Schema(description = "The value at the start, with at most 6 decimals. 0 for `boolean`.")
        BigDecimal startValue,

        @Schema(
                description =
                        "The value to reach, with at most 6 decimals. It must differ from the start. 1 for `boolean`.")
        BigDecimal targetValue,

        @Schema(description = "The id of the user who owns the key result. The default is the caller.") @Nullable
        UUID ownerId,

        @Nullable String externalId,

        @Schema(nullable = true, minimum = "0", maximum = "1000")
        BigDecimal weight) {

    static CreateKeyResult read(BodyReader body) {
        var request = readFields(body);
        body.verify();
        return request;
    }

    /** Reads one key result of several. The caller verifies the body. */
    static CreateKeyResult readFields(BodyReader body) {
        var title = body.requiredTitle("title");
        var metricType = body.requiredConstant("metric_type", MetricType.class);
        var startValue = body.requiredDecimal("start_value");
        var targetValue = body.requiredDecimal("target_value");
        var ownerId = body.optionalReference("owner_id", IdKind.USER, User::exists);
        User.rejectDeactivated(body, "owner_id", ownerId, null);
        var externalId = body.optionalExternalId();
        var weight = Weight.readOrDefault(body);
        if (body.isSound("metric_type", "start_value", "target_value")) {
            metricType.checkStart(body, startValue);
            metricType.checkTarget(body, startValue, targetValue);
        }
        return new CreateKeyResult(title, metricType, startValue, targetValue, ownerId, externalId, weight);
    }
}
