package dev.okr.operations.moving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.okr.testing.Answer;
import dev.okr.testing.Api;
import dev.okr.testing.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/** Exports and imports in tests. */
final class Moving {
    private static final Duration MAX_IMPORT = Duration.ofMinutes(2);

    /** The line of a cycle. */
    static final String CYCLE = line(
            "cycle",
            "id",
            "q1",
            "name",
            "Q1 2098",
            "starts_at",
            "2098-01-01T00:00:00Z",
            "ends_at",
            "2098-04-01T00:00:00Z");

    private Moving() {}

    static String export(Api admin) {
        return admin.get("/v1/export").is(200).text();
    }

    /** The lines of an export, without the first one, which has the time. */
    static List<JsonNode> lines(String export) {
        return export.lines().skip(1).map(Moving::json).toList();
    }

    /** The data of the lines of a type. */
    static List<JsonNode> data(String export, String type) {
        return lines(export).stream()
                .filter(line -> line.get("type").asText().equals(type))
                .map(line -> line.get("data"))
                .toList();
    }

    static JsonNode json(String line) {
        return Json.parse(line);
    }

    static String line(String type, Object... namesAndValues) {
        var data = Json.object(namesAndValues);
        data.values().removeIf(Objects::isNull);
        return Json.write(Json.object("type", type, "data", data));
    }

    static String file(String... lines) {
        return String.join("\n", lines) + "\n";
    }

    static Answer post(Api admin, String query, byte[] file) {
        return admin.header("Content-Type", "application/x-ndjson").post("/v1/imports" + query, file);
    }

    /** Imports a file and waits for the end. */
    static Answer run(Api admin, String query, String file) {
        return run(admin, query, file.getBytes(StandardCharsets.UTF_8));
    }

    static Answer run(Api admin, String query, byte[] file) {
        return await(admin, post(admin, query, file).is(202).id());
    }

    static Answer await(Api admin, String id) {
        var deadline = Instant.now().plus(MAX_IMPORT);
        while (true) {
            var answer = admin.get("/v1/imports/" + id).is(200);
            if (!List.of("pending", "running").contains(answer.text("status"))) {
                return answer;
            }
            assertThat(Instant.now()).as(answer::toString).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    /** Such as {@code 3 /data/title required}. */
    static List<String> errors(Answer imported) {
        var errors = new ArrayList<String>();
        imported.data()
                .get("errors")
                .forEach(error -> errors.add((error.get("line").asInt() + " "
                                + error.get("pointer").asText() + " "
                                + error.get("code").asText())
                        .replace("  ", " ")));
        return errors;
    }

    static Answer succeeds(Answer imported, int created, int updated, int unchanged) {
        assertThat(imported.text("status")).as(imported::toString).isEqualTo("succeeded");
        assertThat(List.of(
                        imported.number("created").intValue(),
                        imported.number("updated").intValue(),
                        imported.number("unchanged").intValue(),
                        imported.number("rejected").intValue()))
                .as(imported::toString)
                .containsExactly(created, updated, unchanged, 0);
        return imported;
    }

    static void fails(Answer imported, String... errors) {
        assertThat(imported.text("status")).as(imported::toString).isEqualTo("failed");
        assertThat(errors(imported)).as(imported::toString).containsExactly(errors);
    }

    /**
     * Replaces all ids by the numbers of their lines, so that exports of two organisations can be compared. An external id
     * that is the id of the exporting organisation is left out.
     */
    static List<JsonNode> comparable(String export) {
        var numbers = new HashMap<String, String>();
        var lines = lines(export);
        for (var line : lines) {
            var id = line.get("data").get("id").asText();
            numbers.put(id, line.get("type").asText() + " " + numbers.size());
        }
        return lines.stream().map(line -> replaced(line, numbers)).toList();
    }

    private static JsonNode replaced(JsonNode line, Map<String, String> numbers) {
        var copy = (ObjectNode) line.deepCopy();
        var data = (ObjectNode) copy.get("data");
        if (line.get("type").asText().equals("user")) {
            // The users of a test existed before.
            data.remove(List.of("created_at", "updated_at"));
        }
        for (var field : List.copyOf(data.properties())) {
            var text = field.getValue().asText();
            if (field.getKey().equals("external_id") && text.matches("[a-z]+_[0-9a-hjkmnp-tv-z]{26}")) {
                data.remove("external_id");
            } else if (numbers.containsKey(text)) {
                data.put(field.getKey(), numbers.get(text));
            }
        }
        return copy;
    }
}
