package dev.okr.console.teams;

import dev.okr.console.Names;
import dev.okr.console.RoleOptions;
import dev.okr.console.overview.OverviewWords;
import dev.okr.console.overview.StatusShare;
import dev.okr.objectives.overview.TeamObjective;
import dev.okr.objectives.teams.TeamResponse;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.UserProfile;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import java.util.List;

/** A team as pages show it. */
public record TeamRow(String id, String name, long members, long objectives) {
    static TeamRow of(TeamResponse team) {
        return new TeamRow(team.id(), team.name(), team.membersCount(), team.objectivesCount());
    }

    /**
     * An objective of a team.
     *
     * @param dates the days of the cycle, since several cycles can have the same name
     */
    public record Objective(
            String id,
            String title,
            String owner,
            String cycle,
            String dates,
            String status,
            String statusLabel,
            String progress) {
        static List<Objective> of(List<TeamObjective> objectives) {
            var owners =
                    new Names(objectives.stream().map(TeamObjective::ownerId).toList());
            return objectives.stream()
                    .map(objective -> new Objective(
                            IdKind.OBJECTIVE.format(objective.id()),
                            objective.title(),
                            owners.of(objective.ownerId()),
                            objective.cycle(),
                            OverviewWords.days(objective.startsAt(), objective.endsAt()),
                            EnumNames.format(objective.status()),
                            StatusShare.label(objective.status()),
                            OverviewWords.percentage(objective.progress())))
                    .toList();
        }
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
