package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/** The events of an organisation, read by its admin. Each event is checked against its schema. */
public final class Events {
    private final Api admin;
    private final EventSchemas schemas;
    private String last = "";

    /**
     * The content of an event.
     *
     * @param previous null for an event that is not an update
     * @param actor the id of the user, null if no user made the change
     */
    public record Event(String type, JsonNode data, JsonNode previous, String actor) {
        public static Event of(JsonNode event) {
            return new Event(
                    event.required("type").textValue(),
                    event.required("data"),
                    event.get("previous"),
                    event.at("/actor/user_id").textValue());
        }
    }

    public Events(URI service, Api admin) {
        this.admin = admin;
        this.schemas = EventSchemas.of(service);
    }

    /** The events since the last call, oldest first. */
    public List<Event> next() {
        return nextAsSent().stream().map(Event::of).toList();
    }

    public List<String> nextTypes() {
        return next().stream().map(Event::type).toList();
    }

    /** Skips the events until now. */
    public void skip() {
        last = admin.get("/v1/events?per_page=1").is(200).ids().stream()
                .findFirst()
                .orElse("");
    }

    /** Like {@link #next}, but returns the complete events. */
    public List<JsonNode> nextAsSent() {
        var found = new ArrayDeque<JsonNode>();
        for (var event : export(admin, "/v1/events?per_page=100")) {
            if (event.required("id").textValue().compareTo(last) <= 0) {
                break;
            }
            found.addFirst(event);
        }
        var events = List.copyOf(found);
        events.forEach(this::check);
        if (!events.isEmpty()) {
            last = events.getLast().required("id").textValue();
        }
        return events;
    }

    /** Reads a whole list by cursor, newest first. */
    public static List<JsonNode> export(Api admin, String path) {
        var all = new ArrayList<JsonNode>();
        var cursor = "";
        do {
            var page = admin.get(path + (path.contains("?") ? "&" : "?") + "cursor=" + cursor)
                    .is(200);
            page.data().forEach(all::add);
            cursor = page.meta().path("next_cursor").asText("");
        } while (!cursor.isEmpty());
        return all;
    }

    private void check(JsonNode event) {
        schemas.check(event);
        assertThat(names(event))
                .as(event::toPrettyString)
                .isSubsetOf("id", "type", "timestamp", "data", "previous", "actor");
        var id = event.required("id").textValue();
        assertThat(id).matches("evt_[0-7][0-9a-hjkmnp-tv-z]{25}").isGreaterThan(last);
        var timestamp = event.required("timestamp").textValue();
        assertThat(timestamp).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(Instant.parse(timestamp))
                .isBetween(Instant.now().minusSeconds(300), Instant.now().plusSeconds(5));
        checkPrevious(event);
        last = id;
    }

    /** The previous values of the changed fields. */
    private static void checkPrevious(JsonNode event) {
        assertThat(event.has("previous"))
                .as(event::toPrettyString)
                .isEqualTo(event.required("type").textValue().endsWith(".updated"));
        event.path("previous")
                .properties()
                .forEach(old -> assertThat(old.getValue())
                        .as(event::toPrettyString)
                        .isNotEqualTo(event.required("data").get(old.getKey())));
        assertThat(event.path("previous").has("updated_at"))
                .as(event::toPrettyString)
                .isFalse();
    }

    private static Set<String> names(JsonNode object) {
        return new HashSet<>(StreamSupport.stream(((Iterable<String>) object::fieldNames).spliterator(), false)
                .toList());
    }
}
