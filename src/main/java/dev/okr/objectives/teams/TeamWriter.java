package dev.okr.objectives.teams;

import dev.okr.organizations.Limit;
import dev.okr.organizations.audit.AuditAction;
import dev.okr.organizations.audit.Change;
import dev.okr.organizations.audit.ChangeEvents.Occurrence;
import dev.okr.organizations.audit.Differences;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.Timestamps;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes teams, with an entry in the audit log and an event for each change. No other class writes them.
 * {@link TeamMemberWriter} writes their members. All locks are taken in this order: organisation, user, team.
 */
public final class TeamWriter {
    private static final String CREATED = "team.created";
    private static final String UPDATED = "team.updated";
    private static final String DELETED = "team.deleted";

    private static final String INSERT = """
            INSERT INTO team (organization_id, id, external_id, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (organization_id, name) DO NOTHING
            """;
    // Two concurrent changes cannot create the same name. There is no unique index for names that differ in case,
    // because teams of earlier versions may have such names.
    private static final String LOCK_NAMES = "SELECT id FROM organization WHERE id = ? FOR NO KEY UPDATE";
    // Names that differ only in case have the same length. Java compares them, because the result of lower() in
    // PostgreSQL depends on the locale of the database.
    private static final String FIND_BY_LENGTH =
            "SELECT id, name FROM team WHERE organization_id = ? AND char_length(name) = ? ORDER BY name = ? DESC, id";
    private static final String COUNT = "SELECT count(*) FROM team WHERE organization_id = ?";
    private static final String FIND_BY_EXTERNAL_ID =
            "SELECT id FROM team WHERE organization_id = ? AND (external_id = ? OR id = ?) AND id <> ?";
    private static final String LOCK = "SELECT name FROM team WHERE organization_id = ? AND id = ? ";
    private static final String UPDATE =
            "UPDATE team SET name = ?, external_id = ?, updated_at = ? WHERE organization_id = ? AND id = ?";
    private static final String HAS_OBJECTIVES =
            "SELECT 1 FROM objective WHERE organization_id = ? AND team_id = ? LIMIT 1";
    private static final String DELETE = "DELETE FROM team WHERE organization_id = ? AND id = ?";

    private final Change change;

    public TeamWriter(Change change) {
        this.change = change;
    }

    /**
     * @throws Failure a conflict if the organisation has a team of this name, ignoring case; or if it has too many
     *     teams
     */
    public UUID create(String name) throws SQLException {
        requireRoom();
        return createIfNew(name).orElseThrow(TeamWriter::nameTaken);
    }

    /**
     * @throws Failure a conflict if the organisation has a team of this name, ignoring case, or of this external id; or
     *     if it has too many teams
     */
    UUID create(CreateTeam request) throws SQLException {
        requireRoom();
        return createIfNew(newId(), request.name(), request.externalId()).orElseThrow(TeamWriter::nameTaken);
    }

    /** Creates a team and returns its id, or empty if the organisation has a team of this name, ignoring case. */
    public Optional<UUID> createIfNew(String name) throws SQLException {
        return createIfNew(newId(), name);
    }

    /** Like {@link #createIfNew(String)}, with an id that the caller chooses. */
    public Optional<UUID> createIfNew(UUID id, String name) throws SQLException {
        return createIfNew(id, name, null);
    }

    private Optional<UUID> createIfNew(UUID id, String name, @Nullable String externalId) throws SQLException {
        return createIfNew(id, name, externalId, change.now(), change.now());
    }

    /** Like {@link #createIfNew(String)}, for a team that existed in another organisation. */
    Optional<UUID> createIfNew(UUID id, String name, @Nullable String externalId, Instant createdAt, Instant updatedAt)
            throws SQLException {
        lockNames();
        if (find(name).isPresent()) {
            return Optional.empty();
        }
        requireFreeExternalId(id, externalId);
        // The previous version creates teams without the lock.
        if (change.sql().update(INSERT, change.organizationId(), id, externalId, name, createdAt, updatedAt) == 0) {
            return Optional.empty();
        }
        change.record(AuditAction.TEAM_CREATED, id, name, null);
        change.happened(CREATED, IdKind.TEAM.format(id), TeamResponse.require(change, id));
        return Optional.of(id);
    }

    /** Finds the team of this name. If there is none, finds one whose name differs only in case. */
    public Optional<UUID> find(String name) throws SQLException {
        return findAll(name).stream().findFirst();
    }

    /** @throws Failure a conflict if the organisation has another team of this name, ignoring case */
    public void rename(UUID id, String newName) throws SQLException {
        lock(id);
        update(id, new UpdateTeam(new FieldChange.Set<>(newName), new FieldChange.Unchanged<>()));
    }

    /**
     * Changes the fields that the request contains, and returns the team. Call {@link #lock} first.
     *
     * @throws Failure a conflict if another team has the new name, ignoring case, or the new external id
     */
    TeamResponse update(UUID id, UpdateTeam request) throws SQLException {
        var before = TeamResponse.require(change, id);
        var name = request.name().orElse(before.name());
        var externalId = request.externalId().applyTo(before.externalId());
        boolean renamed = !name.equals(before.name());
        boolean newExternalId = !Objects.equals(externalId, before.externalId());
        if (!renamed && !newExternalId) {
            return before;
        }
        if (renamed && findAll(name).stream().anyMatch(other -> !other.equals(id))) {
            throw nameTaken();
        }
        requireFreeExternalId(id, externalId);
        var updatedAt = Timestamps.later(change.now(), before.updatedAt());
        change.sql().update(UPDATE, name, externalId, updatedAt, change.organizationId(), id);
        if (renamed) {
            change.record(AuditAction.TEAM_RENAMED, id, name, Differences.ofText("name", before.name(), name));
        }
        if (newExternalId) {
            var detail = Differences.of("external id", before.externalId(), externalId);
            change.record(AuditAction.TEAM_EXTERNAL_ID_CHANGED, id, name, detail);
        }
        var after = TeamResponse.require(change, id);
        // Counts are not changes of the team. A concurrent change of an objective must not look like one.
        change.updated(UPDATED, before.id(), before.withCountsOf(after), after);
        return after;
    }

    /**
     * Deletes a team without objectives, with its memberships.
     *
     * @throws Failure a conflict while objectives name the team
     */
    void delete(UUID id) throws SQLException {
        // If another request gives an objective this team, the foreign key takes a KEY SHARE lock on the team's row.
        // Either that request waits for this lock and then finds no team, or this request waits and then finds the
        // objective.
        var name = lock(id, "FOR UPDATE");
        if (change.sql()
                .first(row -> true, HAS_OBJECTIVES, change.organizationId(), id)
                .isPresent()) {
            throw Failure.conflict("The team has objectives. Move them to another team or delete them first.");
        }
        var before = TeamResponse.require(change, id);
        var occurrences = new ArrayList<Occurrence>(new TeamMemberWriter(change).deleteAll(id));
        change.sql().update(DELETE, change.organizationId(), id);
        change.record(AuditAction.TEAM_DELETED, id, name, null);
        occurrences.add(new Occurrence(DELETED, before.id(), before, null));
        change.events().record(change, occurrences);
    }

    /**
     * Locks the names of all teams, then the team, until the end of the transaction. The lock on the team serialises
     * the changes of the team and of its members.
     */
    void lock(UUID id) throws SQLException {
        lockNames();
        lock(id, "FOR NO KEY UPDATE");
    }

    /** Locks a team until the end of the transaction and returns its name. */
    String lock(UUID id, String strength) throws SQLException {
        return change.sql()
                .first(row -> row.getString("name"), LOCK + strength, change.organizationId(), id)
                .orElseThrow(() -> Failure.notFound("team"));
    }

    /** The lock also serialises this check with other requests that create teams. */
    private void requireRoom() throws SQLException {
        lockNames();
        Limit.TEAMS.requireRoom(change.sql()
                .first(row -> row.getLong(1), COUNT, change.organizationId())
                .orElseThrow());
    }

    private UUID newId() {
        return UuidV7.at(change.now());
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

    /**
     * If two concurrent requests use the same external id, the unique index makes the second one fail. Its retry fails
     * here.
     */
    private void requireFreeExternalId(UUID id, @Nullable String externalId) throws SQLException {
        if (externalId == null) {
            return;
        }
        var other = change.sql()
                .first(
                        row -> row.getObject("id", UUID.class),
                        FIND_BY_EXTERNAL_ID,
                        change.organizationId(),
                        externalId,
                        IdKind.TEAM.parse(externalId).orElse(null),
                        id);
        if (other.isPresent()) {
            throw TenantTable.taken(IdKind.TEAM, externalId, other.get());
        }
    }

    private static Failure nameTaken() {
        return Failure.conflict("The organisation has a team of this name.");
    }
}
