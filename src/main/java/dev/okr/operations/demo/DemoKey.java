package dev.okr.operations.demo;

import dev.okr.access.Scope;
import dev.okr.access.Token;
import dev.okr.platform.http.EnumNames;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.transactions.Sql;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;
import java.util.function.IntSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The token of the demonstration's API key. It has to be shown at every start while only its hash is stored, and it
 * must not be one that everybody knows; so it is derived from the installation's encryption key.
 */
final class DemoKey {
    private static final String LABEL = "okr demonstration API key, block ";
    private static final int DIGITS = 62;

    /** The largest multiple of 62 in a byte: above it, low digits would come up more often. */
    private static final int LIMIT = 248;

    private static final String FIND_USER = """
            /* all organizations */
            SELECT u.organization_id, u.id FROM users u JOIN organization o ON o.id = u.organization_id
            WHERE o.slug = ? AND u.email = ? AND u.deactivated_at IS NULL
            """;

    /** By {@code provisioned_as}, which stays when the key is given another name. */
    private static final String PUT = """
            INSERT INTO api_key AS k
                (organization_id, id, user_id, name, provisioned_as, token_hash, scopes, created_at)
            VALUES (?, ?, ?, 'Demonstration', 'demonstration', ?, ?, ?)
            ON CONFLICT (organization_id, user_id, provisioned_as) DO UPDATE SET token_hash = excluded.token_hash
            WHERE k.token_hash <> excluded.token_hash
            """;

    private static final String IS_VALID =
            "/* all organizations */ SELECT revoked_at IS NULL FROM api_key WHERE token_hash = ?";

    private DemoKey() {}

    private record User(UUID organizationId, UUID id) {}

    /**
     * Makes the token one of the demonstration's administrator. Returns false when people have revoked the key or
     * removed the administrator: that stays so.
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
        var scopes = Arrays.stream(Scope.values()).map(EnumNames::format).toList();
        sql.update(PUT, user.organizationId(), UuidV7.at(now), user.id(), hash, scopes, now);
        return sql.first(row -> row.getBoolean(1), IS_VALID, hash).orElse(false);
    }

    /** @param encryptionKey base64, as it is configured */
    static String token(String encryptionKey) {
        return Token.generate(digits(Base64.getDecoder().decode(encryptionKey.strip())));
    }

    private static IntSupplier digits(byte[] encryptionKey) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(encryptionKey, "HmacSHA256"));
            return new Digits(mac);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HMAC-SHA256", e);
        }
    }

    /** An endless row of evenly spread digits. */
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
                if (value < LIMIT) {
                    return value % DIGITS;
                }
            }
        }
    }
}
