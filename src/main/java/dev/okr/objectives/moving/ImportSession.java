package dev.okr.objectives.moving;

import dev.okr.events.BulkEvents;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An import while it runs, in one transaction.
 *
 * <p>The lines of each type are checked and written in batches, in the order of {@link LineType}. After the first
 * error, the remaining lines are only checked, because the transaction is rolled back at the end.
 */
public final class ImportSession {
    /** The earliest and the latest time of a line. */
    private static final Instant FIRST = Instant.parse("2000-01-01T00:00:00Z");

    private static final Duration MAX_AHEAD = Duration.ofMinutes(5);
    private static final int MAX_NUMBER = (1 << 24) - 1;

    private final Sql sql;
    private final UUID organization;
    private final UUID author;
    private final Actor actor;
    private final Instant now;
    private final Staging staging;
    private final BulkEvents events;
    private final IntConsumer done;
    private final ImportErrors errors = new ImportErrors();
    private final HashedTexts<UUID> users = new HashedTexts<>();
    private final HashedTexts<UUID> userIds = new HashedTexts<>();
    private final HashedTexts<UUID> teams = new HashedTexts<>();
    private final HashedTexts<ImportedCycle> cycles = new HashedTexts<>();
    private long created;
    private long updated;
    private long unchanged;
    private int number;

    /**
     * A cycle that objectives can name.
     *
     * @param isClosed whether its content can no longer change
     * @param isClosing whether the import closes it
     */
    public record ImportedCycle(UUID id, boolean isNew, boolean isClosed, boolean isClosing) {}

    /** What a line does. */
    public enum Outcome {
        CREATED,
        UPDATED,
        UNCHANGED
    }

    /**
     * @param author the admin in whose name it runs
     * @param done receives the number of lines after each batch
     */
    public ImportSession(
            Sql sql,
            UUID organization,
            UUID author,
            Actor actor,
            Instant now,
            Staging staging,
            BulkEvents events,
            IntConsumer done) {
        this.sql = sql;
        this.organization = organization;
        this.author = author;
        this.actor = actor;
        this.now = now;
        this.staging = staging;
        this.events = events;
        this.done = done;
    }

    public Sql sql() {
        return sql;
    }

    public UUID organization() {
        return organization;
    }

    public UUID author() {
        return author;
    }

    public Instant now() {
        return now;
    }

    public Staging staging() {
        return staging;
    }

    public BulkEvents events() {
        return events;
    }

    public ImportErrors errors() {
        return errors;
    }

    /** The users that lines can name, by {@code EmailAddress.key}. */
    public HashedTexts<UUID> users() {
        return users;
    }

    /** The same users, by their ids in the file. */
    public HashedTexts<UUID> userIds() {
        return userIds;
    }

    /** The teams, by the ids with which lines name them. */
    public HashedTexts<UUID> teams() {
        return teams;
    }

    public HashedTexts<ImportedCycle> cycles() {
        return cycles;
    }

    public long created() {
        return created;
    }

    public long updated() {
        return updated;
    }

    public long unchanged() {
        return unchanged;
    }

    /** For the classes that write users, teams and members. */
    public Change change() {
        return new Change(sql, organization, actor, actor == Actor.USER ? author : null, now, events);
    }

    /** Whether rows are written. */
    public boolean writes() {
        return errors.isEmpty();
    }

    public void count(Outcome outcome) {
        switch (outcome) {
            case CREATED -> created++;
            case UPDATED -> updated++;
            case UNCHANGED -> unchanged++;
        }
    }

    /** A new id. The ids of lines with the same time sort in the order of the calls. */
    public UUID newId(Instant at) {
        number = number == MAX_NUMBER ? 0 : number + 1;
        return UuidV7.at(at, number);
    }

    /** A line that was read. */
    public record Read<T>(int number, T line) {}

    /** Takes the lines of a batch. */
    @FunctionalInterface
    public interface Batch<T> {
        void apply(List<Read<T>> lines) throws SQLException;
    }

    /** Reads all lines of a type, in batches. Lines with wrong fields are errors and are left out. */
    public <T> void each(LineType type, Function<BodyReader, T> reader, Batch<T> batch) throws SQLException {
        staging.eachLine(type, lines -> {
            var read = new ArrayList<Read<T>>();
            for (var line : lines) {
                var value = read(line, reader);
                if (value != null) {
                    read.add(new Read<>(line.number(), value));
                }
            }
            batch.apply(read);
            done.accept(lines.size());
        });
    }

    private <T> @Nullable T read(Staging.Line line, Function<BodyReader, T> reader) {
        try {
            var body = JsonBody.parse(line.content().getBytes(StandardCharsets.UTF_8))
                    .reader();
            body.ignore("type");
            var value = reader.apply(body.requiredObject("data"));
            body.verify();
            return value;
        } catch (Failure failure) {
            errors.add(line.number(), "", failure);
            return null;
        }
    }

    /** Reads a time of a line. */
    public @Nullable Instant time(BodyReader data, String field) {
        var time = data.optionalTimestamp(field);
        if (time != null && (time.isBefore(FIRST) || time.isAfter(now.plus(MAX_AHEAD)))) {
            data.reject(field, "out_of_range", "This time must be after 1999 and at most 5 minutes in the future.");
        }
        return time;
    }

    /**
     * A user whom a line names.
     *
     * @param prefix such as {@code owner}
     * @return null if the line names nobody, or somebody unknown
     */
    public @Nullable UUID user(int line, String prefix, @Nullable String email, @Nullable String id) {
        if (email == null && id == null) {
            return null;
        }
        var found = email == null ? userIds.get(Objects.requireNonNull(id)) : users.get(email);
        if (found == null) {
            var field = "/data/" + prefix + (email == null ? "_id" : "_email");
            errors.add(line, field, "unknown_reference", "There is no such user.");
        }
        return found;
    }

    public void unknown(int line, String field, IdKind kind) {
        errors.add(
                line,
                "/data/" + field,
                "unknown_reference",
                "Neither the file nor the organisation has this " + kind.noun() + '.');
    }
}
