package dev.okr.objectives.imports;

import dev.okr.objectives.moving.HashedTexts;
import dev.okr.objectives.moving.ImportSession;
import dev.okr.objectives.moving.ImportSession.Outcome;
import dev.okr.objectives.moving.ImportSession.Read;
import dev.okr.objectives.moving.LineType;
import dev.okr.objectives.moving.Staging;
import dev.okr.organizations.EmailAddress;
import dev.okr.organizations.Limit;
import dev.okr.organizations.Role;
import dev.okr.organizations.UserProfile;
import dev.okr.organizations.UserWriter;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.BodyReader;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.FieldChange;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The user lines of an import. An email address identifies a user. */
final class ImportedUsers {
    private static final String ALL = "SELECT id, email FROM users WHERE organization_id = ?";
    private static final String EXISTING = """
            SELECT id, email, name, role, deactivated_at IS NULL AS active, erased_at IS NOT NULL AS erased
            FROM users WHERE organization_id = ? AND lower(email COLLATE "C") = ANY (?)
            """;
    private static final String OF_OTHERS = """
            /* all organizations */
            SELECT lower(email COLLATE "C") AS key FROM users
            WHERE lower(email COLLATE "C") = ANY (?) AND organization_id <> ?
            """;
    private static final String COUNT_ADMINS = """
            SELECT count(*) FROM users WHERE organization_id = ? AND role = 'admin' AND deactivated_at IS NULL
            """;

    private final ImportSession session;
    private final HashedTexts<Boolean> seen = new HashedTexts<>();
    private int lastChange;

    private record Existing(UUID id, String email, String name, Role role, boolean active, boolean erased) {
        static Existing read(ResultSet row) throws SQLException {
            return new Existing(
                    Sql.uuid(row, "id"),
                    row.getString("email"),
                    row.getString("name"),
                    EnumNames.parse(Role.class, row.getString("role")).orElseThrow(),
                    row.getBoolean("active"),
                    row.getBoolean("erased"));
        }
    }

    private record Line(
            @Nullable String id,
            String email,
            String name,
            Role role,
            FieldChange<Boolean> active,
            @Nullable Instant createdAt,
            @Nullable Instant updatedAt) {
        String key() {
            return EmailAddress.key(email);
        }
    }

    private ImportedUsers(ImportSession session) {
        this.session = session;
    }

    static void apply(ImportSession session) throws SQLException {
        new ImportedUsers(session).apply();
    }

    private void apply() throws SQLException {
        session.sql()
                .each(
                        Staging.BATCH,
                        row -> {
                            var id = Sql.uuid(row, "id");
                            session.users().put(EmailAddress.key(row.getString("email")), id);
                            session.userIds().put(IdKind.USER.format(id), id);
                        },
                        ALL,
                        session.organization());
        session.each(LineType.USER, this::read, this::applyAll);
        if (session.writes() && lastChange > 0) {
            requireAdmin();
        }
    }

    private Line read(BodyReader data) {
        var id = data.optionalKey("id");
        var email = data.requiredText(
                "email", text -> EmailAddress.isErased(text) ? Optional.empty() : EmailAddress.error(text));
        var name = data.requiredTitle("name");
        var role = data.requiredConstant("role", Role.class);
        var active = data.changedBoolean("active");
        if (active.orElse(false) && EmailAddress.isErased(email)) {
            data.reject("active", "invalid_value", "An erased user is not active.");
        }
        return new Line(
                id, email, name, role, active, session.time(data, "created_at"), session.time(data, "updated_at"));
    }

    private void applyAll(List<Read<Line>> lines) throws SQLException {
        var keys = lines.stream().map(each -> each.line().key()).toList();
        var taken =
                new HashSet<>(session.sql().list(row -> row.getString("key"), OF_OTHERS, keys, session.organization()));
        var existing = new HashMap<String, Existing>();
        for (var user : session.sql().list(Existing::read, EXISTING, session.organization(), keys)) {
            existing.put(EmailAddress.key(user.email), user);
        }
        for (var each : lines) {
            var line = each.line();
            if (seen.putIfAbsent(line.key(), true) != null) {
                session.errors().add(each.number(), "/data/email", "duplicate", "Another line has this email address.");
            } else if (taken.contains(line.key())) {
                session.errors()
                        .add(
                                each.number(),
                                "/data/email",
                                "conflict",
                                "This email address belongs to a user of another organisation.");
            } else {
                apply(each.number(), line, existing.get(line.key()));
            }
        }
    }

    private void apply(int number, Line line, @Nullable Existing user) throws SQLException {
        if (user == null && session.users().size() >= Limit.USERS.value()) {
            session.errors().add(number, "", Limit.USERS.reached());
            return;
        }
        var id = user == null ? create(number, line) : user.id;
        session.users().put(line.key(), id);
        if (line.id != null) {
            session.userIds().put(line.id, id);
        }
        if (user != null) {
            change(number, line, user);
        }
    }

    private UUID create(int number, Line line) throws SQLException {
        var createdAt = line.createdAt == null ? session.now() : line.createdAt;
        var updatedAt = line.updatedAt == null ? createdAt : line.updatedAt;
        var id = session.newId(createdAt);
        if (session.writes()) {
            var user = new UserProfile(
                    id,
                    line.name,
                    line.email,
                    line.role,
                    createdAt,
                    updatedAt,
                    line.active.orElse(!EmailAddress.isErased(line.email)),
                    EmailAddress.isErased(line.email));
            if (!new UserWriter(session.change()).addImported(id, user, updatedAt)) {
                // Another organisation has added the address since the check.
                session.errors()
                        .add(
                                number,
                                "/data/email",
                                "conflict",
                                "This email address belongs to a user of another organisation.");
            }
        }
        session.count(Outcome.CREATED);
        return id;
    }

    private void change(int number, Line line, Existing user) throws SQLException {
        boolean active = line.active.orElse(user.active);
        if (user.name.equals(line.name) && user.role == line.role && user.active == active) {
            session.count(Outcome.UNCHANGED);
            return;
        }
        if (user.erased) {
            session.errors().add(number, "", Failure.conflict("The data of this user were erased."));
        } else if (session.writes()) {
            new UserWriter(session.change()).changeImported(user.id, line.name, line.role, active);
            lastChange = number;
        }
        session.count(Outcome.UPDATED);
    }

    /** The lock on the organisation keeps others from demoting the last admin at the same time. */
    private void requireAdmin() throws SQLException {
        long admins = session.sql()
                .first(row -> row.getLong(1), COUNT_ADMINS, session.organization())
                .orElseThrow();
        if (admins == 0) {
            session.errors().add(lastChange, "/data/role", Failure.of(ErrorCode.LAST_ADMIN));
        }
    }
}
