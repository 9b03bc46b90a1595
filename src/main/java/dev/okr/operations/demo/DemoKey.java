package dev.okr.operations.demo;

import dev.okr.access.ApiKeyWriter;
import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.operations.provisioning.ProvisionedRows;
import dev.okr.organizations.audit.Actor;
import dev.okr.organizations.audit.Change;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumSet;
import java.util.UUID;
import java.util.function.IntSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The API key of the demonstration. Every start prints its token, but the database stores only a hash. So the token is
 * derived from the encryption key of the installation.
 */
final class DemoKey {
    private static final String LABEL = "okr demonstration API key, block ";
    private static final int DIGITS = 62;

    /** The largest multiple of 62 in a byte. Larger values would make low digits more frequent. */
    private static final int BYTE_LIMIT = 248;

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
     * Gives the token to the administrator of the demonstration. Returns false if people revoked the key or deactivated
     * the administrator.
     */
    static boolean admit(Sql sql, String token, Instant now) throws SQLException {
        var administrator = sql.first(
                row -> new User(row.getObject(1, UUID.class), row.getObject(2, UUID.class)),
                FIND_USER,
                DemoOrganization.SLUG,
                DemoContent.PEOPLE.getFirst().email());
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
        var rows = new ProvisionedRows(change.sql());
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

    /** @param encryptionKey the configured key, in base64 */
    static String token(String encryptionKey) {
        return Token.generate(digits(Base64.getDecoder().decode(encryptionKey.strip())));
    }

    private static IntSupplier digits(byte[] encryptionKey) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(encryptionKey, "HmacSHA256"));
            return new Digits(mac);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has HMAC-SHA256", e);
        }
    }

    /** An endless sequence of evenly distributed digits. */
    private static final class Digits implements IntSupplier {
        private final Mac mac;
        private int blocks;
        private byte[] block = {};
        private int next;

        Digits(Mac mac) {
            this.mac = mac;
        }

        @Override
        public int getAsInt() {
            while (true) {
                if (next == block.length) {
                    block = mac.doFinal((LABEL + blocks++).getBytes(StandardCharsets.US_ASCII));
                    next = 0;
                }
                int value = Byte.toUnsignedInt(block[next++]);
                if (value < BYTE_LIMIT) {
                    return value % DIGITS;
                }
            }
        }
    }
}
