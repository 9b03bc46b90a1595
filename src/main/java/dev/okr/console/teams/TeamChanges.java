package dev.okr.console.teams;

import dev.okr.events.audit.AuditAction;
import dev.okr.events.audit.AuditLog;
import dev.okr.organizations.Team;
import dev.okr.organizations.TeamMember;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.time.UtcClock;
import dev.okr.platform.transactions.RetriedTransaction;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.UUID;

/** Changes to teams by admins, each in one transaction with its entry in the audit log. */
@ApplicationScoped
class TeamChanges {
    private final AuditLog audit;
    private final UtcClock clock;

    TeamChanges(AuditLog audit, UtcClock clock) {
        this.audit = audit;
        this.clock = clock;
    }

    /** @throws Failure a conflict if the name is in use */
    @RetriedTransaction
    Team create(String name) {
        var team = Team.create(name, clock.now());
        audit.record(AuditAction.TEAM_CREATED, team.id(), name, null);
        return team;
    }

    /** @throws Failure a conflict if the name is in use */
    @RetriedTransaction
    void rename(String id, String name) {
        var team = Team.requireLocked(id);
        var old = team.name();
        if (!old.equals(name)) {
            team.rename(name);
            audit.record(AuditAction.TEAM_RENAMED, team.id(), name, "before: " + old);
        }
    }

    /** Adds a person to the team, or changes their role. */
    @RetriedTransaction
    void add(String id, UUID userId, TeamRole role) {
        set(Team.requireLocked(id), userId, role);
    }

    /** @throws Failure when the person is not in the team */
    @RetriedTransaction
    void changeMember(String id, String userId, TeamRole role) {
        var team = Team.requireLocked(id);
        set(team, requireMember(team, userId), role);
    }

    /** @throws Failure when the person is not in the team */
    @RetriedTransaction
    void remove(String id, String userId) {
        var team = Team.requireLocked(id);
        var member = requireMember(team, userId);
        TeamMember.remove(team.id(), member);
        audit.record(AuditAction.TEAM_MEMBER_REMOVED, team.id(), team.name(), IdKind.USER.format(member));
    }

    private void set(Team team, UUID userId, TeamRole role) {
        if (TeamMember.set(team.id(), userId, role)) {
            var detail = IdKind.USER.format(userId) + " as " + EnumNames.format(role);
            audit.record(AuditAction.TEAM_MEMBER_SET, team.id(), team.name(), detail);
        }
    }

    private static UUID requireMember(Team team, String userId) {
        return IdKind.USER
                .parse(userId)
                .filter(id -> !TeamMember.rolesOf(team.id(), List.of(id)).isEmpty())
                .orElseThrow(() -> Failure.notFound("member of the team"));
    }
}
