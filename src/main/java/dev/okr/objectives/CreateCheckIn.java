package dev.okr.objectives;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.Decimals;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request to create a check-in. It has either a value or an increment. */
@Schema(
        name = "CreateCheckIn",
        description = "A check-in to create. It has either a `value` or an `increment`.",
        minProperties = 1)
public record CreateCheckIn(
        @Schema(description = "The value, with at most 6 decimals. 0 or 1 for a `boolean` key result.") @Nullable
        BigDecimal value,

        @Schema(
                description = "What to add to the current value, with at most 6 decimals. Not for a `boolean` key "
                        + "result. The response shows the resulting value.",
                examples = "2")
        @Nullable
        BigDecimal increment,

        @Schema(description = "A comment on the value.") @Nullable
        String note,

        @Schema(
                description = "When the value was measured, from 2000-01-01T00:00:00Z to 5 minutes after now. The "
                        + "default is now, or one microsecond after the last recorded check-in if that is later. Not "
                        + "together with `increment`.")
        @Nullable
        Instant recordedAt,

        @Schema(
                description = "How confident you are that the target will be reached, from 0 to 10.",
                minimum = "0",
                maximum = "10")
        @Nullable
        Integer confidence,

        @Nullable String externalId) {

    public static final int MAX_CONFIDENCE = 10;

    private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Duration MAX_AHEAD = Duration.ofMinutes(5);

    /** @throws dev.okr.platform.errors.Failure if the body has invalid fields */
    static CreateCheckIn read(BodyReader body, KeyResultResponse keyResult, Instant now) {
        var request = readFields(body, keyResult.metricType(), now);
        request.checkValueAfter(body, keyResult.currentValue());
        body.verify();
        return request;
    }

    /**
     * Reads one check-in of several. The caller verifies the body.
     *
     * @param metricType null if the key result is unknown
     */
    static CreateCheckIn readFields(BodyReader body, @Nullable MetricType metricType, Instant now) {
        boolean increments = body.has("increment");
        var value = increments ? body.optionalDecimal("value") : requiredValue(body, metricType);
        var increment = body.optionalDecimal("increment");
        var note = body.optionalNote("note");
        var recordedAt = body.optionalTimestamp("recorded_at");
        var confidence = body.optionalInteger("confidence", 0, MAX_CONFIDENCE);
        var externalId = body.optionalExternalId();
        if (increments) {
            checkIncrement(body, metricType);
        }
        if (recordedAt != null) {
            checkRecordedAt(body, recordedAt, now);
        }
        return new CreateCheckIn(value, increment, note, recordedAt, confidence, externalId);
    }

    private static BigDecimal requiredValue(BodyReader body, @Nullable MetricType metricType) {
        var value = body.requiredDecimal("value");
        if (metricType != null && body.isSound("value")) {
            metricType.checkValue(body, "value", value);
        }
        return value;
    }

    private static void checkIncrement(BodyReader body, @Nullable MetricType metricType) {
        if (body.has("value")) {
            body.reject("increment", "conflicting_field", "Send either value or increment.");
        }
        if (body.has("recorded_at")) {
            body.reject("recorded_at", "conflicting_field", "An increment is always recorded now.");
        }
        if (metricType == MetricType.BOOLEAN) {
            body.reject("increment", "invalid_value", "A boolean key result has no increment.");
        }
    }

    /** Rejects a time before the year 2000 or too far in the future. */
    static void checkRecordedAt(BodyReader body, Instant recordedAt, Instant now) {
        if (recordedAt.isBefore(FIRST) || recordedAt.isAfter(now.plus(MAX_AHEAD))) {
            body.reject("recorded_at", "out_of_range", "recorded_at must be from 2000 to 5 minutes after now.");
        }
    }

    /** The value of the check-in, if the key result has this value before it. */
    BigDecimal valueAfter(BigDecimal currentValue) {
        return increment == null ? Objects.requireNonNullElse(value, currentValue) : currentValue.add(increment);
    }

    /** Rejects an increment whose result is too large. */
    void checkValueAfter(BodyReader body, BigDecimal currentValue) {
        if (!Decimals.isInRange(valueAfter(currentValue))) {
            body.reject(
                    "increment", "out_of_range", "The magnitude of the result may be at most " + Decimals.MAX + '.');
        }
    }
}
