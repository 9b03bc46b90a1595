package dev.okr.platform.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/**
 * What tells a request that may be sent again: whose key, to which path, under which idempotency key, with which body.
 *
 * @param routeAndKeyHash SHA-256 of method, path and idempotency key, which may be longer than an index can hold
 * @param bodyHash SHA-256 of the body's bytes
 */
record IdempotentRequest(UUID organizationId, UUID apiKeyId, byte[] routeAndKeyHash, byte[] bodyHash) {

    /** @param route method and path */
    static IdempotentRequest of(UUID organizationId, UUID apiKeyId, String route, String key, byte[] body) {
        // Neither a path nor a key has a line break in it, so that no two pairs read the same.
        return new IdempotentRequest(organizationId, apiKeyId, sha256(route + '\n' + key), sha256(body));
    }

    boolean hasBody(byte[] otherHash) {
        return MessageDigest.isEqual(bodyHash, otherHash);
    }

    /** The number of the lock that lets one request of a key run at a time. */
    long lock() {
        return ByteBuffer.wrap(sha256(context())).getLong();
    }

    /** Binds an encrypted response to its row. */
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
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
