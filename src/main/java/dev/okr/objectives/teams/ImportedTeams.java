package dev.okr.objectives.teams;

import dev.okr.objectives.moving.HashedTexts;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.ImportedIds;
import dev.okr.objectives.moving.LineType;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The team lines of an import. Adds members, and sets the roles of existing ones. No member is removed. A large team has
 * several lines, one after another, which differ only in their members.
 */
public final class ImportedTeams {
    /** Of a line. {@code JsonBody} limits the number of values in a line. */
    private static final int MAX_MEMBERS = 4_000;

    private static final String EXISTING = "SELECT id, external_id, name FROM team WHERE organization_id = ?";
    private static final String MEMBERS =
            "SELECT user_id, role FROM team_member WHERE organization_id = ? AND team_id = ?";

    private final ImportSession session;
    private final Map<UUID, Existing> existing = new HashMap<>();
    private final HashedTexts<Boolean> seen = new HashedTexts<>();
    private final Set<UUID> matched = new HashSet<>();
    private int teams;
    private @Nullable Applied last;

    private record Existing(UUID id, @Nullable String externalId, String name) {
        static Existing read(ResultSet row) throws SQLException {
            return new Existing(Sql.uuid(row, "id"), row.getString("external_id"), row.getString("name"));
        }
    }

    private record Line(
            @Nullable String id,
            FieldChange<String> externalId,
            String name,
            Map<String, TeamRole> members,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {
        boolean continues(Line other) {
            return Objects.equals(id, other.id)
                    && externalId.equals(other.externalId)
                    && name.equals(other.name)
                    && !members.isEmpty()
                    && Collections.disjoint(members.keySet(), other.members.keySet());
        }
    }

    /** A line that was applied. The next line may continue it. */
    private record Applied(Line line, UUID team, boolean isNew) {}

    private ImportedTeams(ImportSession session) {
        this.session = session;
    }

    public static void apply(ImportSession session) throws SQLException {
        new ImportedTeams(session).apply();
    }

    private void apply() throws SQLException {
        for (var team : session.sql().list(Existing::read, EXISTING, session.organization())) {
            existing.put(team.id, team);
            session.teams().put(IdKind.TEAM.format(team.id), team.id);
        }
        existing.values().stream()
                .filter(team -> team.externalId != null)
                .forEach(team -> session.teams().put(Objects.requireNonNull(team.externalId), team.id));
        teams = existing.size();
        session.each(LineType.TEAM, this::read, lines -> {
            for (var line : lines) {
                apply(line);
            }
        });
    }

    private Line read(BodyReader data) {
        data.ignore("members_count", "objectives_count");
        var id = data.optionalKey("id");
        var externalId = data.clearableExternalId();
        ImportedIds.requireOne(data);
        var name = data.requiredTitle("name");
        var members = new LinkedHashMap<String, TeamRole>();
        for (var member : data.anyObjects("members", MAX_MEMBERS)) {
            var email = member.requiredText("email", text -> Optional.empty());
            members.put(EmailAddress.key(email), member.requiredConstant("role", TeamRole.class));
        }
        return new Line(
                id, externalId, name, members, session.time(data, "created_at"), session.time(data, "updated_at"));
    }

    private void apply(Read<Line> read) throws SQLException {
        var line = read.line();
        int number = read.number();
        if (last != null && line.continues(last.line)) {
            count(last.isNew, setMembers(number, last.team, line.members));
            last = new Applied(line, last.team, last.isNew);
            return;
        }
        var keys = ImportedIds.keys(line.id, line.externalId);
        if (keys.stream().anyMatch(key -> seen.putIfAbsent(key, true) != null)) {
            ImportedIds.duplicate(session, number);
            return;
        }
        var found = keys.stream()
                .flatMap(key -> Stream.ofNullable(session.teams().get(key)))
                .findFirst()
                .map(existing::get);
        if (found.isPresent() && !matched.add(found.get().id)) {
            ImportedIds.duplicate(session, number);
            return;
        }
        try {
            var id = found.isPresent() ? found.get().id : create(line);
            keys.forEach(key -> session.teams().put(key, id));
            boolean changed = found.isPresent() && change(found.get(), line);
            boolean changedMembers = setMembers(number, id, line.members);
            count(found.isEmpty(), changed || changedMembers);
            last = new Applied(line, id, found.isEmpty());
        } catch (Failure failure) {
            session.errors().add(number, "/data/name", failure);
        }
    }

    private void count(boolean isNew, boolean isChanged) {
        session.count(isNew ? Outcome.CREATED : isChanged ? Outcome.UPDATED : Outcome.UNCHANGED);
    }

    private UUID create(Line line) throws SQLException {
        Limit.TEAMS.requireRoom(teams++);
        var createdAt = line.createdAt == null ? session.now() : line.createdAt;
        var id = session.newId(createdAt);
        if (session.writes()) {
            return new TeamWriter(session.change())
                    .createIfNew(
                            id,
                            line.name,
                            ImportedIds.externalId(line.id, line.externalId),
                            createdAt,
                            line.updatedAt == null ? createdAt : line.updatedAt)
                    .orElseThrow(() -> Failure.conflict("The organisation has a team of this name."));
        }
        return id;
    }

    private boolean change(Existing team, Line line) throws SQLException {
        var externalId = line.externalId.applyTo(team.externalId);
        if (team.name.equals(line.name) && Objects.equals(team.externalId, externalId)) {
            return false;
        }
        if (session.writes()) {
            var writer = new TeamWriter(session.change());
            writer.lock(team.id);
            writer.update(team.id, new UpdateTeam(new FieldChange.Set<>(line.name), line.externalId));
        }
        return true;
    }

    private boolean setMembers(int number, UUID team, Map<String, TeamRole> members) throws SQLException {
        var present = new HashMap<UUID, TeamRole>();
        session.sql()
                .list(
                        row -> present.put(
                                Sql.uuid(row, "user_id"),
                                EnumNames.parse(TeamRole.class, row.getString("role"))
                                        .orElseThrow()),
                        MEMBERS,
                        session.organization(),
                        team);
        boolean changed = false;
        int index = 0;
        for (var member : members.entrySet()) {
            var user = session.users().get(member.getKey());
            if (user == null) {
                session.errors()
                        .add(
                                number,
                                "/data/members/" + index + "/email",
                                "unknown_reference",
                                "There is no such user.");
            } else if (present.get(user) != member.getValue()) {
                changed = true;
                if (session.writes()) {
                    new TeamMemberWriter(session.change()).setMember(team, user, member.getValue());
                }
            }
            index++;
        }
        return changed;
    }
}
