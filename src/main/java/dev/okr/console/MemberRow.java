package dev.okr.console;

import dev.okr.organizations.TeamRole;
import dev.okr.organizations.User;
import dev.okr.platform.ids.IdKind;

/**
 * A member of a team as the team's page shows it.
 *
 * @param active whether the person has access
 */
public record MemberRow(String id, String name, String role, boolean lead, boolean active) {
    static MemberRow of(User user, TeamRole role) {
        return new MemberRow(
                IdKind.USER.format(user.id()),
                user.name(),
                RoleOptions.label(role),
                role == TeamRole.LEAD,
                user.isActive());
    }
}
