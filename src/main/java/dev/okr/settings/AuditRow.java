package dev.okr.settings;

import dev.okr.audit.AuditEntry;
import dev.okr.ids.IdKind;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A line of the audit log as the page shows it: a sentence of who did what to what.
 *
 * @param subject the name of what it was done to, for a person the current one
 */
public record AuditRow(
        Moment at,
        String actor,
        String verb,
        String kind,
        String subject,
        String subjectId,
        @Nullable String detail) {

    static AuditRow of(AuditEntry entry, Names names) {
        return new AuditRow(
                Moment.of(entry.createdAt()),
                actor(entry, names),
                entry.action().verb(),
                kind(entry.action().subject()),
                subject(entry, names),
                entry.subjectId(),
                entry.detail());
    }

    /** The user that it was done to; null when it was done to something else. */
    static @Nullable UUID subjectUser(AuditEntry entry) {
        return IdKind.USER.parse(entry.subjectId()).orElse(null);
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
        if (user != null) {
            return names.of(user);
        }
        return entry.subjectName() == null ? entry.subjectId() : entry.subjectName();
    }

    /** Of a person the name says enough. */
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
