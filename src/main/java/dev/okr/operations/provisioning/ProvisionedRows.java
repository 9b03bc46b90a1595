package dev.okr.operations.provisioning;

import dev.okr.access.Scope;
import dev.okr.organizations.Plan;
import dev.okr.organizations.Role;
import dev.okr.organizations.TeamRole;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.transactions.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the {@code provisioned_…} columns. They contain the values that the organisation file had when it
 * was last applied.
 */
public final class ProvisionedRows {
    private static final String FIND_ORGANIZATION = """
            SELECT id, provisioned_name, provisioned_plan AS provisioned_standing FROM organization
            WHERE slug = ?
            """;
    private static final String FIND_USER = """
            SELECT id, provisioned_name, provisioned_role AS provisioned_standing FROM users
            WHERE organization_id = ? AND lower(email COLLATE "C") = lower(? COLLATE "C")
            """;
    private static final String FIND_API_KEY = """
            SELECT id, token_hash, scopes, expires_at FROM api_key
            WHERE organization_id = ? AND user_id = ? AND provisioned_as = ?
            """;
    private static final String FIND_MEMBER_ROLE = """
            SELECT provisioned_role FROM team_member
            WHERE organization_id = ? AND team_id = ? AND user_id = ?
            """;
    private static final String IS_TOKEN_OF_OTHER_KEY = """
            /* all organizations */
            SELECT id FROM api_key WHERE token_hash = ?
                AND (organization_id, user_id, provisioned_as) IS DISTINCT FROM (?::uuid, ?::uuid, ?::text)
            """;
    private static final String MARK_ORGANIZATION =
            "UPDATE organization SET provisioned_name = ?, provisioned_plan = ? WHERE id = ?";
    private static final String MARK_USER =
            "UPDATE users SET provisioned_name = ?, provisioned_role = ? WHERE organization_id = ? AND id = ?";
    private static final String MARK_API_KEY =
            "UPDATE api_key SET provisioned_as = ? WHERE organization_id = ? AND id = ?";
    private static final String MARK_MEMBER = """
            UPDATE team_member SET provisioned_role = ? WHERE organization_id = ? AND team_id = ? AND user_id = ?
            """;

    private static final String LOCKED = " FOR NO KEY UPDATE";

    private final Sql sql;
    private final String lock;

    private ProvisionedRows(Sql sql, String lock) {
        this.sql = sql;
        this.lock = lock;
    }

    /** Reads without locks. */
    static ProvisionedRows unlocked(Sql sql) {
        return new ProvisionedRows(sql, "");
    }

    /** Locks the rows that it reads until the end of the transaction, so that nobody changes or erases them. */
    public static ProvisionedRows locked(Sql sql) {
        return new ProvisionedRows(sql, LOCKED);
    }

    /**
     * An organisation or a user, with its values in the file.
     *
     * @param standing the plan or the role in the file
     */
    record Named(UUID id, @Nullable String name, @Nullable String standing) {
        static Named read(ResultSet row) throws SQLException {
            return new Named(
                    row.getObject("id", UUID.class),
                    row.getString("provisioned_name"),
                    row.getString("provisioned_standing"));
        }

        boolean has(String newName, Enum<?> newStanding) {
            return newName.equals(name) && EnumNames.format(newStanding).equals(standing);
        }
    }

    /** An API key from the file, as the database stores it. */
    public record Key(
            UUID id,
            byte[] tokenHash,
            Set<Scope> scopes,
            @Nullable Instant expiresAt) {
        static Key read(ResultSet row) throws SQLException {
            var scopes = Arrays.stream((String[]) row.getArray("scopes").getArray())
                    .map(name -> EnumNames.parse(Scope.class, name).orElseThrow())
                    .collect(Collectors.toSet());
            return new Key(
                    row.getObject("id", UUID.class),
                    row.getBytes("token_hash"),
                    scopes,
                    Sql.instantOrNull(row, "expires_at"));
        }

        public boolean hasToken(byte[] hash) {
            return Arrays.equals(tokenHash, hash);
        }
    }

    Optional<Named> organization(String slug) throws SQLException {
        return sql.first(Named::read, FIND_ORGANIZATION + lock, slug);
    }

    Optional<Named> user(UUID organizationId, String email) throws SQLException {
        return sql.first(Named::read, FIND_USER + lock, organizationId, email);
    }

    /** @param provisionedAs the name of the key in the file */
    public Optional<Key> apiKey(UUID organizationId, UUID userId, String provisionedAs) throws SQLException {
        return sql.first(Key::read, FIND_API_KEY + lock, organizationId, userId, provisionedAs);
    }

    /** The role of a member in the file. Empty if the user is not a member or the file never set a role. */
    Optional<String> memberRole(UUID organizationId, UUID teamId, UUID userId) throws SQLException {
        return sql.first(
                        row -> Optional.ofNullable(row.getString(1)),
                        FIND_MEMBER_ROLE + lock,
                        organizationId,
                        teamId,
                        userId)
                .flatMap(role -> role);
    }

    boolean isTokenOfOtherKey(byte[] tokenHash, UUID organizationId, UUID userId, String provisionedAs)
            throws SQLException {
        return sql.first(row -> true, IS_TOKEN_OF_OTHER_KEY, tokenHash, organizationId, userId, provisionedAs)
                .isPresent();
    }

    void mark(UUID organizationId, String name, Plan plan) throws SQLException {
        sql.update(MARK_ORGANIZATION, name, EnumNames.format(plan), organizationId);
    }

    void markUser(UUID organizationId, UUID userId, String name, Role role) throws SQLException {
        sql.update(MARK_USER, name, EnumNames.format(role), organizationId, userId);
    }

    public void markApiKey(UUID organizationId, UUID keyId, String provisionedAs) throws SQLException {
        sql.update(MARK_API_KEY, provisionedAs, organizationId, keyId);
    }

    void markMember(UUID organizationId, UUID teamId, UUID userId, TeamRole role) throws SQLException {
        sql.update(MARK_MEMBER, EnumNames.format(role), organizationId, teamId, userId);
    }
}
