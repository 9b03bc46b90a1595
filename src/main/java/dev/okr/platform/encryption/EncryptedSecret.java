package dev.okr.platform.encryption;

/**
 * An encrypted secret, as the database stores it.
 *
 * @param keyId the id of the key that encrypted it
 * @param bytes nonce, ciphertext and tag
 */
public record EncryptedSecret(String keyId, byte[] bytes) {}
