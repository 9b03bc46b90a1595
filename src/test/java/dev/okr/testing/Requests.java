package dev.okr.testing;

import static dev.okr.testing.Json.object;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Minimal valid request bodies. */
public final class Requests {
    private Requests() {}

    public static Map<String, Object> cycle() {
        return object("name", "Q1 2099", "starts_at", "2099-01-01T00:00:00Z", "ends_at", "2099-04-01T00:00:00Z");
    }

    /** A cycle with a name that no other cycle has. */
    public static Map<String, Object> uniqueCycle() {
        return with(cycle(), "name", "Q1 " + UUID.randomUUID());
    }

    public static Map<String, Object> objective(String cycle) {
        return object("title", "Win the trust of mid-sized customers", "cycle_id", cycle);
    }

    public static Map<String, Object> keyResult(Object start, Object target) {
        return object(
                "title", "Onboarded customers", "metric_type", "number", "start_value", start, "target_value", target);
    }

    public static Map<String, Object> checkIn(Object value) {
        return object("value", value);
    }

    public static Map<String, Object> alignment(String parent, String child) {
        return object("parent_objective_id", parent, "child_objective_id", child);
    }

    /** The same body with changed or added fields. */
    public static Map<String, Object> with(Map<String, Object> body, Object... namesAndValues) {
        var changed = new LinkedHashMap<>(body);
        changed.putAll(object(namesAndValues));
        return changed;
    }

    /** The same body without a field. */
    public static Map<String, Object> without(Map<String, Object> body, String name) {
        var changed = new LinkedHashMap<>(body);
        changed.remove(name);
        return changed;
    }
}
