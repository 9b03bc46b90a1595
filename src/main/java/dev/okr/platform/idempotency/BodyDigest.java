package dev.okr.platform.idempotency;

/**
 * The digest of a body that was not kept in memory. A method with {@link Idempotent} takes it in place of the body.
 *
 * @param sha256 the digest of all bytes
 */
public record BodyDigest(byte[] sha256) {}
