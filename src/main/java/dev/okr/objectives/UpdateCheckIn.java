package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import java.math.BigDecimal;
import java.time.Instant;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The request to change a check-in. Absent fields keep their values. */
@Schema(name = "UpdateCheckIn", description = "Changes of a check-in. Absent fields keep their values.")
public record UpdateCheckIn(
        @Schema(
                description =
                        "The value at the time, with at most 6 decimals. The value of the last recorded check-in becomes "
                                + "the key result's current value.")
        FieldChange<BigDecimal> value,

        @Schema(description = "A comment on the value. `null` removes it.", nullable = true)
        FieldChange<String> note,

        @Schema(
                description = "When the value was measured, from 2000-01-01T00:00:00Z to 5 minutes after now. No other "
                        + "check-in of the key result has the same time. The time that responses show, in whole "
                        + "seconds, leaves it as it is.")
        FieldChange<Instant> recordedAt,

        @Schema(
                description = "How confident you are that the target will be reached, from 0 to 10. `null` removes it.",
                minimum = "0",
                maximum = "10",
                nullable = true)
        FieldChange<Integer> confidence,

        @Schema(description = "The caller's own id of the check-in. `null` removes it.", nullable = true)
        FieldChange<String> externalId) {

    static UpdateCheckIn read(BodyReader body, MetricType metricType, Instant now) {
        var value = body.changedDecimal("value");
        var note = body.clearableNote("note");
        var recordedAt = body.changedTimestamp("recorded_at");
        var confidence = body.clearableInteger("confidence", 0, CreateCheckIn.MAX_CONFIDENCE);
        var externalId = body.clearableExternalId();
        if (value instanceof FieldChange.Set<BigDecimal>(var changed)) {
            metricType.checkValue(body, "value", changed);
        }
        if (recordedAt instanceof FieldChange.Set<Instant>(var time)) {
            CreateCheckIn.checkRecordedAt(body, time, now);
        }
        body.verify();
        return new UpdateCheckIn(value, note, recordedAt, confidence, externalId);
    }
}
