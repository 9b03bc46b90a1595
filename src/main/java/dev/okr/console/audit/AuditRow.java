package dev.okr.console.audit;

import dev.okr.console.Names;
import dev.okr.organizations.audit.AuditEntry;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit log as the page and the export show it: actor, verb and subject.
 *
 * @param actorId the id of the person who acted; null unless the actor is a user
 * @param subject the name of the subject; for a person, the current name
 */
public record AuditRow(
        Instant at,
        String actorType,
        @Nullable String actorId,
        String actor,
        String action,
        String verb,
        String kind,
        String subject,
        String subjectId,
        @Nullable String detail) {

    static final List<String> CSV_HEADER =
            List.of("time", "actor_type", "actor_id", "actor", "action", "subject_id", "subject", "detail");

    private static final Pattern USER_ID = Pattern.compile(IdKind.USER.prefix() + "_[0-9a-z]{26}");

    static AuditRow of(AuditEntry entry, Names names) {
        return new AuditRow(
                entry.createdAt(),
                EnumNames.format(entry.actor()),
                entry.userId() == null ? null : IdKind.USER.format(entry.userId()),
                actor(entry, names),
                EnumNames.format(entry.action()),
                entry.action().verb(),
                kind(entry.action().subject()),
                subject(entry, names),
                entry.subjectId(),
                detail(entry, names));
    }

    /** The fields of an export, in the order of {@link #CSV_HEADER}. */
    List<String> csv() {
        return List.of(
                Timestamps.format(at),
                actorType,
                Objects.requireNonNullElse(actorId, ""),
                actor,
                action,
                subjectId,
                subject,
                Objects.requireNonNullElse(detail, ""));
    }

    /** The ids of the users whose names the entry shows. */
    static Stream<UUID> userIds(AuditEntry entry) {
        var inDetail = Stream.ofNullable(entry.detail())
                .flatMap(detail -> USER_ID.matcher(detail).results())
                .flatMap(match -> IdKind.USER.parse(match.group()).stream());
        return Stream.concat(
                Stream.of(Optional.ofNullable(entry.userId()), subjectUser(entry))
                        .flatMap(Optional::stream),
                inDetail);
    }

    private static Optional<UUID> subjectUser(AuditEntry entry) {
        return IdKind.USER.parse(entry.subjectId());
    }

    private static String actor(AuditEntry entry, Names names) {
        return switch (entry.actor()) {
            case USER -> entry.userId() == null ? "" : names.of(entry.userId());
            case OPERATOR -> "An operator";
            case ORGANIZATION_FILE -> "The organisation file";
            case SERVICE -> "The service";
        };
    }

    private static String subject(AuditEntry entry, Names names) {
        var user = subjectUser(entry);
        if (user.isPresent()) {
            return names.of(user.get());
        }
        return entry.subjectName() == null ? entry.subjectId() : entry.subjectName();
    }

    /** Replaces user ids by current names. */
    private static @Nullable String detail(AuditEntry entry, Names names) {
        return entry.detail() == null
                ? null
                : USER_ID.matcher(entry.detail())
                        .replaceAll(match -> Matcher.quoteReplacement(
                                IdKind.USER.parse(match.group()).map(names::of).orElse(match.group())));
    }

    /** The kind of the subject. Empty for a person. */
    private static String kind(IdKind kind) {
        return switch (kind) {
            case API_KEY -> "API key";
            case TEAM -> "team";
            case WEBHOOK -> "webhook";
            case ORGANIZATION -> "organisation";
            default -> "";
        };
    }
}
