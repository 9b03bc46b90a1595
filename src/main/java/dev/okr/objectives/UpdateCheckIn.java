package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.math.BigDecimal;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a check-in. Absent fields keep their values. */
@Schema(name = "UpdateCheckIn", description = "Changes of a check-in. Absent fields keep their values.")
public record UpdateCheckIn(
        @Schema(
                description =
                        "The value at the time, with at most 6 decimals. The value of the newest check-in becomes the key "
                                + "result's current value.")
        FieldChange<BigDecimal> value,

        @Schema(description = "A comment on the value. `null` removes it.", nullable = true)
        FieldChange<String> note) {

    static UpdateCheckIn read(BodyReader body, MetricType metricType) {
        var value = body.changedDecimal("value");
        var note = body.clearableNote("note");
        if (value instanceof FieldChange.Set<BigDecimal>(var changed)) {
            metricType.checkValue(body, "value", changed);
        }
        body.verify();
        return new UpdateCheckIn(value, note);
    }
}
