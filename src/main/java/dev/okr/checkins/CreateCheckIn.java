package dev.okr.checkins;

import dev.okr.http.JsonBody;
import dev.okr.keyresults.KeyResult;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What a new check-in needs. */
@Schema(name = "CreateCheckIn", description = "A check-in to create.")
public record CreateCheckIn(
        @Schema(description = "The value now; 0 or 1 for a `boolean` key result.", required = true,
                minimum = "-99999999999.999999", maximum = "99999999999.999999", examples = "5")
        BigDecimal value,

        @Schema(description = "What there is to say about it.", maxLength = 4096,
                examples = "Two large customers went live.")
        @Nullable String note) {

    static CreateCheckIn read(JsonBody body, KeyResult keyResult) {
        var value = body.requiredDecimal("value");
        var note = body.optionalNote("note");
        if (body.isSound("value")) {
            CheckInValue.check(body, value, keyResult);
        }
        body.verify();
        return new CreateCheckIn(value, note);
    }
}
