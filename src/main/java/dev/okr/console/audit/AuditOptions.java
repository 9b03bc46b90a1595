package dev.okr.console.audit;

import dev.okr.console.Option;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import io.quarkus.qute.TemplateExtension;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The actions in the filter of the audit log. Templates use the namespace {@code auditlog:}. */
@TemplateExtension(namespace = "auditlog")
public final class AuditOptions {
    private static final List<IdKind> KINDS =
            List.of(IdKind.API_KEY, IdKind.USER, IdKind.TEAM, IdKind.WEBHOOK, IdKind.ORGANIZATION);

    private AuditOptions() {}

    /** The actions on one kind of subject. The first option stands for all of them. */
    public record Group(String label, List<Option> options) {}

    public static List<Group> groups() {
        return KINDS.stream().map(AuditOptions::group).toList();
    }

    /** The actions on a kind of subject. Empty for a kind that is not in the log. */
    static List<AuditAction> actions(IdKind kind) {
        return Arrays.stream(AuditAction.values())
                .filter(action -> action.subject() == kind)
                .toList();
    }

    private static Group group(IdKind kind) {
        var label = label(kind);
        var options = actions(kind).stream()
                .map(action -> new Option(EnumNames.format(action), option(action), ""))
                .toList();
        var all = new Option(EnumNames.format(kind), "All about " + label, "");
        return new Group(label, Stream.concat(Stream.of(all), options.stream()).toList());
    }

    /** Such as "changed the role of a person". */
    private static String option(AuditAction action) {
        return action.verb()
                + ' '
                + switch (action.subject()) {
                    case API_KEY -> "an API key";
                    case USER -> "a person";
                    case TEAM -> "a team";
                    case WEBHOOK -> "a webhook";
                    default -> "the organisation";
                };
    }

    private static String label(IdKind kind) {
        return switch (kind) {
            case API_KEY -> "API keys";
            case USER -> "people";
            case TEAM -> "teams";
            case WEBHOOK -> "webhooks";
            default -> "the organisation";
        };
    }
}
