package dev.okr.operations.provisioning;

import java.util.HashMap;
import java.util.Map;

/** Reports values that occur more than once in an organisation file. */
final class Unique {
    private final String what;
    private final FileErrors errors;
    private final Map<String, Integer> lines = new HashMap<>();

    Unique(String what, FileErrors errors) {
        this.what = what;
        this.errors = errors;
    }

    /** @param shown the value for the message; empty for a secret */
    void add(int line, String key, String shown) {
        if (key.isEmpty()) {
            return;
        }
        var first = lines.putIfAbsent(key, line);
        if (first != null) {
            var subject = shown.isEmpty() ? "this " + what : what + " " + FileErrors.quote(shown);
            errors.add(line, subject + " is already in line " + first);
        }
    }
}
