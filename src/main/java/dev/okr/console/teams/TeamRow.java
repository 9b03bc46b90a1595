package dev.okr.console.teams;

import dev.okr.console.RoleOptions;
import dev.okr.objectives.TeamResponse;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.ids.IdKind;

/** A team as pages show it. */
public record TeamRow(String id, String name, long members, long objectives) {
    static TeamRow of(TeamResponse team) {
        return new TeamRow(team.id(), team.name(), team.membersCount(), team.objectivesCount());
    }

    /**
     * A member of a team as the team's page shows it.
     *
     * @param active whether the person has access
     */
    public record Member(String id, String name, String role, boolean lead, boolean active) {
        static Member of(UserProfile user, TeamRole role) {
            return new Member(
                    IdKind.USER.format(user.id()),
                    user.name(),
                    RoleOptions.label(role),
                    role == TeamRole.LEAD,
                    user.isActive());
        }
    }
}
