package dev.okr.console.objectives;

import com.fasterxml.jackson.databind.JsonNode;
import dev.okr.console.FormFields;
import dev.okr.console.Names;
import dev.okr.events.RecentChange;
import dev.okr.platform.ids.IdKind;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A change of an objective or of one of its key results.
 *
 * @param what such as {@code changed the key result}
 * @param details each changed field with its old and its new value
 */
public record ChangeRow(Instant at, String actor, String what, String subject, List<Detail> details) {
    /** Longer texts would hide the other changes. */
    private static final int MAX_TEXT_CODE_POINTS = 200;

    /** The labels of the fields that a page shows. Other fields are of no use to people. */
    private static final Map<String, String> FIELDS = Map.ofEntries(
            Map.entry("title", "Title"),
            Map.entry("description", "Description"),
            Map.entry("status", "Status"),
            Map.entry("owner_id", "Owner"),
            Map.entry("score", "Score"),
            Map.entry("retrospective", "Retrospective"),
            Map.entry("current_value", "Value"),
            Map.entry("target_value", "Target"),
            Map.entry("weight", "Weight"),
            Map.entry("confidence", "Confidence"),
            Map.entry("progress", "Progress"));

    public record Detail(String field, String before, String after) {}

    /** The users that a change names. */
    static Stream<UUID> userIds(RecentChange change) {
        var named = Stream.of(change.data().path("owner_id"), change.previous().path("owner_id"))
                .flatMap(id -> IdKind.USER.parse(id.asText("")).stream());
        return Stream.concat(Stream.ofNullable(change.actor()), named);
    }

    static ChangeRow of(RecentChange change, Names names) {
        var actor = change.actor();
        var details = new ArrayList<Detail>();
        FIELDS.entrySet().stream()
                .filter(field -> change.previous().has(field.getKey()))
                .sorted(Map.Entry.comparingByValue())
                .forEach(field -> details.add(new Detail(
                        field.getValue(),
                        text(field.getKey(), change.previous().path(field.getKey()), names),
                        text(field.getKey(), change.data().path(field.getKey()), names))));
        return new ChangeRow(
                change.at(),
                actor == null ? "The service" : names.of(actor),
                what(change),
                change.data().path("title").asText(""),
                details);
    }

    private static String what(RecentChange change) {
        var parts = change.type().split("\\.");
        var noun = parts[0].replace('_', ' ');
        if (!parts[1].equals("updated")) {
            return parts[1] + " the " + noun;
        }
        // The ids of cycles and teams mean nothing to people.
        var moved = Stream.of("cycle", "team")
                .filter(field -> change.previous().has(field + "_id"))
                .map(field -> "the " + field)
                .collect(Collectors.joining(" and "));
        return "changed " + (moved.isEmpty() ? "" : moved + " of ") + "the " + noun;
    }

    private static String text(String field, JsonNode value, Names names) {
        if (value.isMissingNode() || value.isNull()) {
            return "nothing";
        }
        if (field.equals("owner_id")) {
            return IdKind.USER.parse(value.asText()).map(names::of).orElse("");
        }
        if (value.isNumber()) {
            return FormFields.plain(new BigDecimal(value.asText()));
        }
        var text = field.equals("status") ? value.asText().replace('_', ' ') : value.asText();
        return text.codePointCount(0, text.length()) <= MAX_TEXT_CODE_POINTS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_TEXT_CODE_POINTS)) + '…';
    }
}
