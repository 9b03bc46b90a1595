package dev.okr.organizations;

import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Writes teams and their members, with an entry in the audit log for each change. No other class writes them, except
 * for the {@code provisioned_…} columns.
 */
public final class TeamWriter {
    private static final String INSERT = """
            INSERT INTO team (organization_id, id, name, created_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (organization_id, name) DO NOTHING
            """;
    // Two concurrent changes cannot create the same name. There is no unique index for names that differ in case,
    // because teams of earlier versions may have such names.
    private static final String LOCK_NAMES = "SELECT id FROM organization WHERE id = ? FOR NO KEY UPDATE";
    // Names that differ only in case have the same length. Java compares them, because the result of lower() in
    // PostgreSQL depends on the locale of the database.
    private static final String FIND_BY_LENGTH =
            "SELECT id, name FROM team WHERE organization_id = ? AND char_length(name) = ? ORDER BY name = ? DESC, id";
    private static final String LOCK = "SELECT name FROM team WHERE organization_id = ? AND id = ? FOR NO KEY UPDATE";
    private static final String RENAME = "UPDATE team SET name = ? WHERE organization_id = ? AND id = ?";
    // The erasure of a user waits for this lock. The foreign key would take it too, but a distributed schema has none.
    private static final String LOCK_USER = "SELECT id FROM users WHERE organization_id = ? AND id = ? FOR KEY SHARE";
    private static final String PUT_MEMBER = """
            INSERT INTO team_member AS m (organization_id, team_id, user_id, role) VALUES (?, ?, ?, ?)
            ON CONFLICT (organization_id, team_id, user_id) DO UPDATE SET role = excluded.role
            WHERE m.role <> excluded.role
            """;
    private static final String REMOVE_MEMBER =
            "DELETE FROM team_member WHERE organization_id = ? AND team_id = ? AND user_id = ?";
    private static final String FIND_TEAMS_OF =
            "SELECT team_id FROM team_member WHERE organization_id = ? AND user_id = ? ORDER BY team_id";

    private final Change change;

    public TeamWriter(Change change) {
        this.change = change;
    }

    /** @throws Failure a conflict if the organisation has a team of this name, ignoring case */
    public UUID create(String name) throws SQLException {
        return createIfNew(name).orElseThrow(TeamWriter::nameTaken);
    }

    /** Creates a team and returns its id, or empty if the organisation has a team of this name, ignoring case. */
    public Optional<UUID> createIfNew(String name) throws SQLException {
        lockNames();
        if (find(name).isPresent()) {
            return Optional.empty();
        }
        var id = UuidV7.at(change.now());
        // The previous version creates teams without the lock.
        if (change.sql().update(INSERT, change.organizationId(), id, name, change.now()) == 0) {
            return Optional.empty();
        }
        change.record(AuditAction.TEAM_CREATED, id, name, null);
        return Optional.of(id);
    }

    /** Finds the team of this name. If there is none, finds one whose name differs only in case. */
    public Optional<UUID> find(String name) throws SQLException {
        return findAll(name).stream().findFirst();
    }

    /** @throws Failure a conflict if the organisation has another team of this name, ignoring case */
    public void rename(UUID id, String newName) throws SQLException {
        lockNames();
        var oldName = lock(id);
        if (oldName.equals(newName)) {
            return;
        }
        if (findAll(newName).stream().anyMatch(other -> !other.equals(id))) {
            throw nameTaken();
        }
        change.sql().update(RENAME, newName, change.organizationId(), id);
        change.record(AuditAction.TEAM_RENAMED, id, newName, "before: " + oldName);
    }

    /** Adds a user to a team, or changes the role of a member. */
    public void setMember(UUID teamId, UUID userId, TeamRole role) throws SQLException {
        if (change.sql()
                .first(row -> true, LOCK_USER, change.organizationId(), userId)
                .isEmpty()) {
            throw Failure.notFound("user");
        }
        var name = lock(teamId);
        var roleName = EnumNames.format(role);
        if (change.sql().update(PUT_MEMBER, change.organizationId(), teamId, userId, roleName) > 0) {
            var detail = IdKind.USER.format(userId) + " as " + roleName;
            change.record(AuditAction.TEAM_MEMBER_SET, teamId, name, detail);
        }
    }

    /** @throws Failure if the user is not a member of the team */
    public void removeMember(UUID teamId, UUID userId) throws SQLException {
        var name = lock(teamId);
        if (change.sql().update(REMOVE_MEMBER, change.organizationId(), teamId, userId) == 0) {
            throw Failure.notFound("member of the team");
        }
        change.record(AuditAction.TEAM_MEMBER_REMOVED, teamId, name, IdKind.USER.format(userId));
    }

    public void removeFromAllTeams(UUID userId) throws SQLException {
        var teamIds = change.sql()
                .list(row -> row.getObject("team_id", UUID.class), FIND_TEAMS_OF, change.organizationId(), userId);
        for (var teamId : teamIds) {
            removeMember(teamId, userId);
        }
    }

    private void lockNames() throws SQLException {
        change.sql().first(row -> true, LOCK_NAMES, change.organizationId());
    }

    private List<UUID> findAll(String name) throws SQLException {
        record Named(UUID id, String name) {}
        var length = name.codePointCount(0, name.length());
        return change
                .sql()
                .list(
                        row -> new Named(row.getObject("id", UUID.class), row.getString("name")),
                        FIND_BY_LENGTH,
                        change.organizationId(),
                        length,
                        name)
                .stream()
                .filter(team -> team.name.equalsIgnoreCase(name))
                .map(Named::id)
                .toList();
    }

    /** Locks a team until the end of the transaction and returns its name. */
    private String lock(UUID id) throws SQLException {
        return change.sql()
                .first(row -> row.getString("name"), LOCK, change.organizationId(), id)
                .orElseThrow(() -> Failure.notFound("team"));
    }

    private static Failure nameTaken() {
        return Failure.conflict("The organisation has a team of this name.");
    }
}
