package dev.okr.console.objectives;

import dev.okr.console.Form;
import dev.okr.console.Numbers;
import java.util.ArrayList;
import java.util.List;

/** Hints about key results in a form. They are advice, so the form can be sent anyway. */
final class KeyResultHints {
    static final int MAX_ADVISED = 5;

    private KeyResultHints() {}

    /** @param rows the prefixes of the fields of the key results that have a title */
    static List<String> of(Form form, List<String> rows) {
        var hints = new ArrayList<String>();
        if (rows.size() > MAX_ADVISED) {
            hints.add("You have %d key results. Three to five are usually enough.".formatted(rows.size()));
        }
        for (var row : rows) {
            var title = form.value(row + "title").strip();
            if (form.value(row + "metric_type").equals("boolean")) {
                hints.add("“%s” has no number. A number shows progress before everything is done.".formatted(title));
            } else if (isDownward(form, row)) {
                hints.add("“%s” goes down from its start to its target. Is this intended?".formatted(title));
            }
        }
        return hints;
    }

    private static boolean isDownward(Form form, String row) {
        var start = Numbers.parse(form.value(row + "start_value"));
        var target = Numbers.parse(form.value(row + "target_value"));
        return start.isPresent() && target.isPresent() && target.get().compareTo(start.get()) < 0;
    }
}
