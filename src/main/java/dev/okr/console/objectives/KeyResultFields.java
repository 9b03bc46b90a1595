package dev.okr.console.objectives;

import dev.okr.console.Form;
import dev.okr.console.FormFields;
import dev.okr.platform.http.JsonValue;
import java.util.Map;

/** The fields of a new key result in a form. */
final class KeyResultFields {
    static final String TITLE = "title";
    static final String METRIC_TYPE = "metric_type";
    static final String START = "start_value";
    static final String TARGET = "target_value";
    static final String WEIGHT = "weight";
    static final String OWNER = "owner_id";

    private KeyResultFields() {}

    /** The prefix of the fields of a key result, in a form with several. */
    static String prefix(int row) {
        return "key_results." + row + '.';
    }

    /** The start of a key result that is done or not done is 0, and its target is 1. */
    static Map<String, JsonValue> created(Form form, String prefix) {
        var fields = FormFields.of(form, prefix).text(TITLE, METRIC_TYPE, OWNER).number(WEIGHT);
        if (form.value(prefix + METRIC_TYPE).equals("boolean")) {
            fields.with(START, new JsonValue.Number("0")).with(TARGET, new JsonValue.Number("1"));
        } else {
            if (form.value(prefix + START).isBlank()) {
                fields.with(START, new JsonValue.Number("0"));
            }
            fields.number(START, TARGET);
        }
        return fields.read();
    }
}
