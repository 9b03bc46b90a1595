package dev.okr.operations.demo;

import dev.okr.access.ApiKeyWriter;
import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.operations.provisioning.ProvisionedRows;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.encryption.DerivedKey;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.math.BigInteger;
import java.sql.SQLException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The API key of the demonstration. Every start prints its token, but the database stores only a hash. So the token is
 * derived from the encryption key of the installation.
 */
final class DemoKey {
    private static final String PURPOSE = "okr demonstration API key";
    private static final BigInteger DIGITS = BigInteger.valueOf(62);

    private static final String FIND_USER = """
            /* all organizations */
            SELECT u.organization_id, u.id FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE o.slug = ? AND u.email = ? AND u.deactivated_at IS NULL
            FOR NO KEY UPDATE OF u
            """;

    /** The value of {@code provisioned_as}. It stays the same if the key is renamed. */
    private static final String PROVISIONED_AS = "demonstration";

    private static final String NAME = "Demonstration";

    private static final String IS_VALID =
            "/* all organizations */ SELECT revoked_at IS NULL FROM api_key WHERE token_hash = ?";

    private DemoKey() {}

    private record User(UUID organizationId, UUID id) {}

    /**
     * Makes the token an API key of the administrator of the demonstration. Returns false if people revoked the key or
     * deactivated the administrator.
     */
    static boolean admit(Sql sql, String token, Instant now) throws SQLException {
        var administrator = sql.first(
                row -> new User(Sql.uuid(row, "organization_id"), Sql.uuid(row, "id")),
                FIND_USER,
                DemoOrganization.SLUG,
                DemoOrganization.ADMIN_EMAIL);
        if (administrator.isEmpty()) {
            return false;
        }
        var user = administrator.get();
        var hash = Token.hash(token);
        put(Change.by(Actor.SERVICE, user.organizationId(), sql, now), user.id(), hash);
        return sql.first(row -> row.getBoolean(1), IS_VALID, hash).orElse(false);
    }

    private static void put(Change change, UUID userId, byte[] hash) throws SQLException {
        var keys = new ApiKeyWriter(change);
        var rows = ProvisionedRows.locked(change.sql());
        var known = rows.apiKey(change.organizationId(), userId, PROVISIONED_AS);
        if (known.isEmpty()) {
            var id = UuidV7.at(change.now());
            keys.add(id, userId, NAME, hash, EnumSet.allOf(Scope.class), null);
            rows.markApiKey(change.organizationId(), id, PROVISIONED_AS);
        } else if (!known.get().hasToken(hash)) {
            var key = known.get();
            keys.change(key.id(), NAME, hash, key.scopes(), key.expiresAt());
        }
    }

    /**
     * The token. The 43 random digits of a token have about 256 bits, as many as the derived key.
     *
     * @param encryptionKey the configured key, in base64
     */
    static String token(String encryptionKey) {
        var key = new BigInteger(1, DerivedKey.derive(encryptionKey, PURPOSE));
        var digits = Stream.iterate(key, rest -> rest.divide(DIGITS))
                .mapToInt(rest -> rest.mod(DIGITS).intValue())
                .iterator();
        return Token.generate(digits::nextInt);
    }
}
