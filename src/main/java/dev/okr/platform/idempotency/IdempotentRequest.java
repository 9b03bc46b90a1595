package dev.okr.platform.idempotency;

import dev.okr.platform.errors.Failure;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What identifies a request with an idempotency key.
 *
 * @param routeAndKeyHash SHA-256 of method, path and idempotency key, because these can be too long for an index
 * @param bodyHash SHA-256 of the body's bytes
 */
public record IdempotentRequest(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash, byte[] bodyHash) {
    /** The header with the key: 1 to 255 visible ASCII characters, with or without quotes. */
    static final String HEADER = "Idempotency-Key";

    public static final int MAX_KEY_CHARACTERS = 255;

    /** @param route method and path */
    public static IdempotentRequest of(UUID organizationId, UUID apiKeyId, String route, String key, byte[] body) {
        // Neither a route nor a key contains a line break. So different pairs give different texts.
        return new IdempotentRequest(organizationId, apiKeyId, sha256(route + '\n' + key), sha256(body));
    }

    /**
     * The key of a request, without quotes. Empty if the request has none.
     *
     * @param headers the values of the header
     * @throws Failure if they are not one valid key
     */
    static Optional<String> key(List<String> headers) {
        if (headers.isEmpty()) {
            return Optional.empty();
        }
        var key = unquoted(headers.getFirst().strip());
        if (headers.size() > 1 || !isKey(key)) {
            throw Failure.malformed("The header %s must be one key of 1 to %d visible ASCII characters."
                    .formatted(HEADER, MAX_KEY_CHARACTERS));
        }
        return Optional.of(key);
    }

    /** Whether a text can be an idempotency key. */
    public static boolean isKey(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_KEY_CHARACTERS
                && text.chars().allMatch(character -> character > ' ' && character < '\u007F');
    }

    boolean hasBody(byte[] otherHash) {
        return MessageDigest.isEqual(bodyHash, otherHash);
    }

    /** The number of the advisory lock. Only one request with the key runs at a time. */
    long lock() {
        return ByteBuffer.wrap(sha256(encryptionContext())).getLong();
    }

    String encryptionContext() {
        return encryptionContext(organizationId, apiKeyId, routeAndKeyHash);
    }

    /** The encryption context that binds a stored response to its row. */
    public static String encryptionContext(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash) {
        return "idempotent_response/%s/%s/%s"
                .formatted(organizationId, apiKeyId, HexFormat.of().formatHex(routeAndKeyHash));
    }

    private static String unquoted(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        return quoted ? text.substring(1, text.length() - 1) : text;
    }

    private static byte[] sha256(String text) {
        return sha256(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
