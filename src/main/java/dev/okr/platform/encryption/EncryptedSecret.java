package dev.okr.platform.encryption;

import java.util.Objects;

/** An encrypted secret, as the database stores it. */
public final class EncryptedSecret {
    private final String keyId;
    private final byte[] bytes;

    /**
     * @param keyId the id of the key that encrypted it
     * @param bytes nonce, ciphertext and tag
     */
    public EncryptedSecret(String keyId, byte[] bytes) {
        this.keyId = Objects.requireNonNull(keyId);
        this.bytes = bytes.clone();
    }

    public String keyId() {
        return keyId;
    }

    public byte[] bytes() {
        return bytes.clone();
    }
}
