package dev.okr.console.week;

import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.objectives.MetricType;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.math.BigDecimal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The form for a check-in in the row of a key result.
 *
 * @param action where the form is sent
 * @param id the id of the key result
 * @param fields the fields of the check-in, with their errors
 * @param conflict what somebody else recorded meanwhile; null if nothing
 * @param focused whether the field for the value has the focus when the page opens
 */
public record CheckInForm(
        String action,
        String id,
        String title,
        MetricType metric,
        Form fields,
        @Nullable Conflict conflict,
        boolean focused) {
    public static final String VALUE = "value";
    public static final String NOTE = "note";
    public static final String CONFIDENCE = "confidence";
    public static final String RECORDED_AT = "recorded_at";

    static final String SEEN = "seen";

    private static final String ID = "id";

    /**
     * The change of the value that the user of the form has not seen.
     *
     * @param author the name of the author of the check-in, or "You"; null if the value was set without a check-in
     * @param yours the value in the form
     */
    public record Conflict(
            @Nullable String author, String value, @Nullable String note, String yours) {}

    public static CheckInForm of(String action, String id, String title, MetricType metric, Form fields) {
        return new CheckInForm(action, id, title, metric, fields, null, false);
    }

    /**
     * The initial fields. The id of the check-in follows from their id, so submitting the form twice creates one check-in.
     *
     * @param version the version of the key result, see {@link dev.okr.objectives.CheckInWriter}
     */
    public static Form fields(MetricType metric, BigDecimal currentValue, String version, Instant now) {
        var fields =
                Form.empty().with(ID, IdKind.CHECK_IN.format(UuidV7.at(now))).with(SEEN, version);
        // A selection always has a value. A check-in with only a note should not change the present one.
        return metric == MetricType.BOOLEAN ? fields.with(VALUE, FormFields.plain(currentValue)) : fields;
    }

    CheckInForm withFocus() {
        return new CheckInForm(action, id, title, metric, fields, conflict, true);
    }

    /** Whether the value is done or not done instead of a number. */
    public boolean isDoneOrNot() {
        return metric == MetricType.BOOLEAN;
    }

    public boolean isPercentage() {
        return metric == MetricType.PERCENTAGE;
    }
}
