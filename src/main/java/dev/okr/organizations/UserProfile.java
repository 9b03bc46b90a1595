package dev.okr.organizations;

import dev.okr.organizations.tenant.ByName;
import dev.okr.organizations.tenant.TenantSql;
import dev.okr.organizations.tenant.TenantTable;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Slice;
import dev.okr.platform.http.Text;
import dev.okr.platform.ids.IdKind;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A user of an organisation, as responses and pages show one.
 *
 * @param isActive whether the user may sign in and use API keys
 * @param isErased whether the personal data were erased; only the id is left then
 */
public record UserProfile(
        UUID id,
        String name,
        String email,
        Role role,
        Instant createdAt,
        Instant updatedAt,
        boolean isActive,
        boolean isErased) {
    // The column updated_at is null for a user who was not changed since it exists, and in rows of the previous
    // version.
    static final TenantTable<UserProfile> TABLE = new TenantTable<>(
            "users",
            List.of("id", "name", "email", "role", "created_at", "deactivated_at", "erased_at"),
            ", coalesce({table}.updated_at, {table}.created_at) AS {prefix}last_updated_at",
            UserProfile::read);

    private static final String FIND =
            "SELECT " + TABLE.columns("u") + " FROM users u WHERE u.organization_id = :organization AND ";

    /** Further words are ignored. */
    private static final int MAX_WORDS = 8;

    private static final int MAX_TEXT_CHARACTERS = 600;

    private static final String CONTAINS_WORD = " AND strpos(lower(u.name || ' ' || u.email), lower(?)) > 0";

    private static final String ALL = "users e WHERE e.organization_id = :organization";
    // A join, because a distributed schema has users and teams on different servers.
    private static final String OF_TEAM = """
            team_member m JOIN users e ON e.organization_id = :organization AND e.id = m.user_id
            WHERE m.organization_id = :organization AND m.team_id = ?""";

    /** @throws Failure if the organisation has no such user */
    public static UserProfile require(String publicId) {
        return IdKind.USER
                .parse(publicId)
                .flatMap(id -> find("u.id = ?", id))
                .orElseThrow(() -> Failure.notFound("user"));
    }

    static UserProfile require(UUID id) {
        return find("u.id = ?", id).orElseThrow();
    }

    /** The users with these ids, in no particular order. */
    public static List<UserProfile> list(Collection<UUID> ids) {
        return ids.isEmpty() ? List.of() : TenantSql.current().list(TABLE.reader(), FIND + "u.id = ANY (?)", ids);
    }

    /**
     * The users whose name or email address contains each word of a text, ignoring case, by name.
     *
     * @param activeOnly whether deactivated users are left out
     */
    public static List<UserProfile> search(String text, boolean activeOnly, int limit) {
        if (text.length() > MAX_TEXT_CHARACTERS || !Text.isClean(text)) {
            // PostgreSQL rejects text with NUL, and would need seconds for a long one. No user has such a name.
            return List.of();
        }
        var words = Stream.of(text.split("\\s+"))
                .filter(word -> !word.isEmpty())
                .limit(MAX_WORDS)
                .toList();
        var statement = FIND + (activeOnly ? "u.deactivated_at IS NULL" : "u.erased_at IS NULL")
                + CONTAINS_WORD.repeat(words.size()) + " ORDER BY u.name, u.id LIMIT " + limit;
        return TenantSql.current().list(TABLE.reader(), statement, words.toArray());
    }

    /** Lists the users of the organisation that match the filters of the query, or those of one team, by name. */
    public static Slice<UserProfile> list(ListQuery query, @Nullable UUID teamId) {
        var users = teamId == null
                ? ByName.of(TABLE.reader(), TABLE.columns("e"), ALL)
                : ByName.of(TABLE.reader(), TABLE.columns("e"), OF_TEAM, teamId);
        return users.where(EmailAddress.EQUALS, query.text("email"))
                .where("(e.deactivated_at IS NULL) = ?", query.bool("active"))
                .where("e.role = ?", query.constant("role", Role.class))
                .where("coalesce(e.updated_at, e.created_at) >= ?", query.time("updated_since"))
                .slice(query);
    }

    private static Optional<UserProfile> find(String condition, Object value) {
        return TenantSql.current().first(TABLE.reader(), FIND + condition, value);
    }

    private static UserProfile read(ResultSet row) throws SQLException {
        return new UserProfile(
                Sql.uuid(row, "id"),
                row.getString("name"),
                row.getString("email"),
                EnumNames.parse(Role.class, row.getString("role")).orElseThrow(),
                Sql.instant(row, "created_at"),
                Sql.instant(row, "last_updated_at"),
                Sql.instantOrNull(row, "deactivated_at") == null,
                Sql.instantOrNull(row, "erased_at") != null);
    }
}
