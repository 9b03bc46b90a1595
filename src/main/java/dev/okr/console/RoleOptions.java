package dev.okr.console;

import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.http.EnumNames;
import io.quarkus.qute.TemplateExtension;
import java.util.Arrays;
import java.util.List;

/** The roles in forms. Templates use the namespace {@code roles:}. */
@TemplateExtension(namespace = "roles")
public final class RoleOptions {
    private RoleOptions() {}

    public static List<Option> organization() {
        return Arrays.stream(Role.values())
                .map(role -> new Option(EnumNames.format(role), label(role), hint(role)))
                .toList();
    }

    public static List<Option> team() {
        return List.of(
                new Option(EnumNames.format(TeamRole.MEMBER), label(TeamRole.MEMBER), ""),
                new Option(
                        EnumNames.format(TeamRole.LEAD),
                        label(TeamRole.LEAD),
                        "Can also delete the team's objectives and key results"));
    }

    public static String label(Role role) {
        return switch (role) {
            case VIEWER -> "Viewer";
            case MEMBER -> "Member";
            case ADMIN -> "Admin";
        };
    }

    public static String label(TeamRole role) {
        return switch (role) {
            case LEAD -> "Lead";
            case MEMBER -> "Member";
        };
    }

    private static String hint(Role role) {
        return switch (role) {
            case VIEWER -> "Reads everything except webhooks";
            case MEMBER -> "Also creates and changes objectives, key results and check-ins";
            case ADMIN -> "Manages everything, including cycles, webhooks, people and teams";
        };
    }
}
