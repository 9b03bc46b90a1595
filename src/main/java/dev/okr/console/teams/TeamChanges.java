package dev.okr.console.teams;

import dev.okr.organizations.Team;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.organizations.TeamWriter;
import dev.okr.organizations.audit.AuditLog;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;

/** The changes that admins make to teams, each in one transaction. */
@ApplicationScoped
class TeamChanges {
    private final AuditLog audit;

    TeamChanges(AuditLog audit) {
        this.audit = audit;
    }

    /** @throws Failure a conflict if the organisation has a team of this name */
    @RetriedTransaction
    UUID create(String name) {
        return audit.change(change -> new TeamWriter(change).create(name));
    }

    /** @throws Failure a conflict if the organisation has another team of this name */
    @RetriedTransaction
    void rename(String id, String name) {
        var teamId = Team.require(id);
        audit.run(change -> new TeamWriter(change).rename(teamId, name));
    }

    /** Adds a person to the team, or changes their role. */
    @RetriedTransaction
    void setMember(String id, UUID userId, TeamRole role) {
        var teamId = Team.require(id);
        audit.run(change -> new TeamWriter(change).setMember(teamId, userId, role));
    }

    /** @throws Failure if the person is not a member of the team */
    @RetriedTransaction
    void changeMember(String id, String userId, TeamRole role) {
        setMember(id, requireMember(Team.require(id), userId), role);
    }

    /** @throws Failure if the person is not a member of the team */
    @RetriedTransaction
    void remove(String id, String userId) {
        var teamId = Team.require(id);
        var memberId = requireMember(teamId, userId);
        audit.run(change -> new TeamWriter(change).removeMember(teamId, memberId));
    }

    private static UUID requireMember(UUID teamId, String userId) {
        return IdKind.USER
                .parse(userId)
                .filter(id -> !TeamMember.rolesOf(teamId, List.of(id)).isEmpty())
                .orElseThrow(() -> Failure.notFound("member of the team"));
    }
}
