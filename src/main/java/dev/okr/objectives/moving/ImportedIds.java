package dev.okr.objectives.moving;

import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a line identifies its resource: by {@code external_id}, or by the id of the exporting organisation. */
public final class ImportedIds {
    private ImportedIds() {}

    /** Without both ids, each import of the line would create another resource. */
    public static void requireOne(BodyReader data) {
        if (!data.has("id") && !data.has("external_id")) {
            data.reject("id", "required", "The line needs an id or an external_id.");
        }
    }

    /** The ids by which other lines can refer to the resource. The first id that is found identifies it. */
    public static List<String> keys(@Nullable String id, FieldChange<String> externalId) {
        return Stream.of(externalId.applyTo(null), id)
                .flatMap(Stream::ofNullable)
                .distinct()
                .toList();
    }

    /** The external id of a new resource. */
    public static @Nullable String externalId(@Nullable String id, FieldChange<String> externalId) {
        var given = externalId.applyTo(null);
        return given == null ? id : given;
    }

    /**
     * When a resource that a line changes was last changed.
     *
     * @param given the time of the line
     * @param stored the time of the resource
     */
    public static Instant updatedAt(ImportSession session, @Nullable Instant given, Instant stored) {
        return given != null && given.isAfter(stored) ? given : Timestamps.later(session.now(), stored);
    }

    public static void duplicate(ImportSession session, int line) {
        session.errors().add(line, "/data/id", "duplicate", "Another line has the same id or external_id.");
    }
}
