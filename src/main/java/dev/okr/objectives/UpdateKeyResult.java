package dev.okr.objectives;

import dev.okr.organizations.User;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a key result. Absent fields keep their values. */
@Schema(name = "UpdateKeyResult", description = "Changes of a key result. Absent fields keep their values.")
public record UpdateKeyResult(
        FieldChange<String> title,

        @Schema(description = "The current value, with at most 6 decimals. The next check-in replaces it.")
        FieldChange<BigDecimal> currentValue,

        @Schema(description = "The value to reach, with at most 6 decimals. It must differ from the start.")
        FieldChange<BigDecimal> targetValue,

        @Schema(
                description =
                        "The id of the user who owns the key result. An admin, the present owner, the owner of the "
                                + "objective or a lead of its team can change it.")
        FieldChange<UUID> ownerId,

        @Schema(description = "The caller's own id of the key result. `null` removes it.", nullable = true)
        FieldChange<String> externalId,

        @Schema(minimum = "0", maximum = "1000") FieldChange<BigDecimal> weight) {

    static UpdateKeyResult read(BodyReader body, KeyResultResponse keyResult) {
        var title = body.changedTitle("title");
        var currentValue = body.changedDecimal("current_value");
        var targetValue = body.changedDecimal("target_value");
        var ownerId = body.changedReference("owner_id", IdKind.USER, User::exists);
        var owner = IdKind.USER.require(keyResult.ownerId());
        User.rejectDeactivated(body, "owner_id", ownerId.orElse(owner), owner);
        var externalId = body.clearableExternalId();
        var weight = Weight.readChange(body);
        if (currentValue instanceof FieldChange.Set<BigDecimal>(var value)) {
            keyResult.metricType().checkValue(body, "current_value", value);
        }
        if (targetValue instanceof FieldChange.Set<BigDecimal>(var target)) {
            keyResult.metricType().checkTarget(body, keyResult.startValue(), target);
        }
        body.verify();
        return new UpdateKeyResult(title, currentValue, targetValue, ownerId, externalId, weight);
    }
}
