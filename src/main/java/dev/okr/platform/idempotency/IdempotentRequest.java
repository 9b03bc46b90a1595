package dev.okr.platform.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * What identifies a request with an idempotency key.
 *
 * @param routeAndKeyHash SHA-256 of method, path and idempotency key, because these can be too long for an index
 * @param bodyHash SHA-256 of the body's bytes
 */
record IdempotentRequest(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash, byte[] bodyHash) {

    /** @param route method and path */
    static IdempotentRequest of(UUID organizationId, UUID apiKeyId, String route, String key, byte[] body) {
        // Neither a route nor a key contains a line break. So different pairs give different texts.
        return new IdempotentRequest(organizationId, apiKeyId, sha256(route + '\n' + key), sha256(body));
    }

    boolean hasBody(byte[] otherHash) {
        return MessageDigest.isEqual(bodyHash, otherHash);
    }

    /** The number of the advisory lock. Only one request with the key runs at a time. */
    long lock() {
        return ByteBuffer.wrap(sha256(context())).getLong();
    }

    /** The context of the encrypted response. */
    String context() {
        return ResponseContext.of(organizationId, apiKeyId, routeAndKeyHash);
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
