package dev.okr.objectives.overview;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads rows that a statement returns as one JSON array, so that one statement can return several lists. */
final class JsonRows {
    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonRows() {}

    /** @param json null for no rows */
    static <T> List<T> read(@Nullable String json, Function<JsonNode, T> reader) {
        if (json == null) {
            return List.of();
        }
        try {
            var rows = new ArrayList<T>();
            JSON.readTree(json).forEach(row -> rows.add(reader.apply(row)));
            return rows;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("The database returned no JSON.", e);
        }
    }
}
