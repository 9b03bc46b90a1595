package dev.okr.objectives.teams;

import dev.okr.organizations.TeamRole;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents.Occurrence;
import dev.okr.organizations.audit.Differences;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes the members of teams, with an entry in the audit log and an event for each change. No other class writes them,
 * except for the {@code provisioned_…} columns. The lock on the team serialises the changes of its members.
 */
public final class TeamMemberWriter {
    private static final String ADDED = "team_member.added";
    private static final String UPDATED = "team_member.updated";
    private static final String REMOVED = "team_member.removed";

    // The erasure of a user waits for this lock. The foreign key would take it too, but a distributed schema has none.
    private static final String LOCK_USER = """
            SELECT deactivated_at IS NULL AS active FROM users WHERE organization_id = ? AND id = ? FOR KEY SHARE
            """;
    private static final String FIND =
            "SELECT user_id, role FROM team_member WHERE organization_id = ? AND team_id = ? AND user_id = ?";
    private static final String INSERT =
            "INSERT INTO team_member (organization_id, team_id, user_id, role) VALUES (?, ?, ?, ?)";
    private static final String UPDATE =
            "UPDATE team_member SET role = ? WHERE organization_id = ? AND team_id = ? AND user_id = ?";
    private static final String DELETE =
            "DELETE FROM team_member WHERE organization_id = ? AND team_id = ? AND user_id = ?";
    private static final String DELETE_ALL =
            "DELETE FROM team_member WHERE organization_id = ? AND team_id = ? RETURNING user_id, role";
    private static final String FIND_TEAMS_OF =
            "SELECT team_id FROM team_member WHERE organization_id = ? AND user_id = ? ORDER BY team_id";

    private final Change change;

    public TeamMemberWriter(Change change) {
        this.change = change;
    }

    /**
     * Locks a user and a team, to change the membership.
     *
     * @return whether the user is active
     * @throws Failure if the organisation has no such user or team
     */
    boolean lock(UUID teamId, UUID userId) throws SQLException {
        boolean active = change.sql()
                .first(row -> row.getBoolean("active"), LOCK_USER, change.organizationId(), userId)
                .orElseThrow(() -> Failure.notFound("user"));
        lock(teamId);
        return active;
    }

    /** The membership of a user in a team. */
    Optional<TeamMemberResponse> find(UUID teamId, UUID userId) throws SQLException {
        return change.sql().first(row -> read(teamId, row), FIND, change.organizationId(), teamId, userId);
    }

    /**
     * Like {@link #setMember}, but adds only active users.
     *
     * @throws Failure a conflict if the user is deactivated and not a member
     */
    public TeamMemberResponse addMember(UUID teamId, UUID userId, TeamRole role) throws SQLException {
        boolean active = lock(teamId, userId);
        if (!active && find(teamId, userId).isEmpty()) {
            throw Failure.conflict("This user is deactivated.");
        }
        return setMember(teamId, userId, role);
    }

    /** Adds a user to a team, or changes the role of a member. */
    public TeamMemberResponse setMember(UUID teamId, UUID userId, TeamRole role) throws SQLException {
        lock(teamId, userId);
        var before = find(teamId, userId);
        var after = TeamMemberResponse.of(teamId, userId, role);
        if (before.isPresent() && before.get().equals(after)) {
            return after;
        }
        var roleName = EnumNames.format(role);
        if (before.isEmpty()) {
            change.sql().update(INSERT, change.organizationId(), teamId, userId, roleName);
            change.happened(ADDED, after.teamId(), after);
        } else {
            change.sql().update(UPDATE, roleName, change.organizationId(), teamId, userId);
            change.updated(UPDATED, after.teamId(), before.get(), after);
        }
        var detail = before.map(member ->
                        Differences.of("role of " + after.userId(), EnumNames.format(member.role()), roleName))
                .orElse(after.userId() + " as " + roleName);
        change.record(AuditAction.TEAM_MEMBER_SET, teamId, lock(teamId), detail);
        return after;
    }

    /** @throws Failure if the user is not a member of the team */
    public void removeMember(UUID teamId, UUID userId) throws SQLException {
        var name = lock(teamId);
        var before = find(teamId, userId).orElseThrow(() -> Failure.notFound("member of the team"));
        change.sql().update(DELETE, change.organizationId(), teamId, userId);
        change.record(AuditAction.TEAM_MEMBER_REMOVED, teamId, name, before.userId());
        change.happened(REMOVED, before.teamId(), before);
    }

    public void removeFromAllTeams(UUID userId) throws SQLException {
        var teamIds = change.sql()
                .list(row -> row.getObject("team_id", UUID.class), FIND_TEAMS_OF, change.organizationId(), userId);
        for (var teamId : teamIds) {
            removeMember(teamId, userId);
        }
    }

    /** Removes all members of a team that is deleted. The caller records the events. */
    List<Occurrence> deleteAll(UUID teamId) throws SQLException {
        return change.sql().list(row -> read(teamId, row), DELETE_ALL, change.organizationId(), teamId).stream()
                .map(member -> new Occurrence(REMOVED, member.teamId(), member, null))
                .toList();
    }

    /** Locks the team until the end of the transaction and returns its name. */
    private String lock(UUID teamId) throws SQLException {
        return new TeamWriter(change).lock(teamId, "FOR NO KEY UPDATE");
    }

    private static TeamMemberResponse read(UUID teamId, ResultSet row) throws SQLException {
        var role = EnumNames.parse(TeamRole.class, row.getString("role")).orElseThrow();
        return TeamMemberResponse.of(teamId, row.getObject("user_id", UUID.class), role);
    }
}
