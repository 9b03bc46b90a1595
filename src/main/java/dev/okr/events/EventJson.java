package dev.okr.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.UUID;

/** Writes the payloads of events: resources as the API shows them, and their old values. */
@Singleton
class EventJson {
    /** Changes with every update, so its old value is not shown. */
    private static final String UPDATED_AT = "updated_at";

    private final ObjectMapper mapper;
    private final ObjectReader exact;

    EventJson(ObjectMapper mapper) {
        this.mapper = mapper;
        this.exact = mapper.reader().with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS);
    }

    /** A resource as the API shows it. */
    String text(Object resource) {
        try {
            return mapper.writeValueAsString(resource);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("A resource could not be written as JSON.", e);
        }
    }

    /**
     * The old values of the fields that differ, as a JSON object. A field that had no value is null. Returns empty if
     * no field differs.
     */
    Optional<String> previous(String before, String after) {
        if (before.equals(after)) {
            return Optional.empty();
        }
        var old = tree(before);
        var now = tree(after);
        var names = new LinkedHashSet<String>();
        old.fieldNames().forEachRemaining(names::add);
        now.fieldNames().forEachRemaining(names::add);
        names.remove(UPDATED_AT);
        var previous = mapper.createObjectNode();
        for (var name : names) {
            if (!old.path(name).equals(now.path(name))) {
                previous.set(name, old.get(name));
            }
        }
        return previous.isEmpty() ? Optional.empty() : Optional.of(text(previous));
    }

    /** The body of the event's deliveries. */
    String payload(Outbox.Change change, UUID id, Instant at) {
        var payload = mapper.createObjectNode()
                .put("id", IdKind.EVENT.format(id))
                .put("type", change.type().type())
                .put("timestamp", Timestamps.format(at));
        putRaw(payload, "data", change.data());
        if (change.previous() != null) {
            putRaw(payload, "previous", change.previous());
        }
        if (change.actor() != null) {
            payload.putObject("actor").put("user_id", IdKind.USER.format(change.actor()));
        }
        return text(payload);
    }

    private static void putRaw(ObjectNode object, String name, String json) {
        object.putRawValue(name, new RawValue(json));
    }

    private JsonNode tree(String json) {
        try {
            return exact.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("JSON that was just written could not be read.", e);
        }
    }
}
