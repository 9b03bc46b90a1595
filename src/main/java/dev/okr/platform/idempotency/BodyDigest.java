package dev.okr.platform.idempotency;

/**
 * The digest of a body that was not kept in memory. A method with {@link Idempotent} can take it instead of the body.
 *
 * @param sha256 the digest of all bytes
 */
public record BodyDigest(byte[] sha256) {}
