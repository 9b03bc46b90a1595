package dev.okr.platform.encryption;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys for other purposes, derived from the encryption key. They are the same on every replica and after every restart.
 * They reveal neither each other nor the encryption key.
 */
public final class DerivedKey {
    private static final String ALGORITHM = "HmacSHA256";

    private DerivedKey() {}

    /**
     * The HMAC of a text with the key for a purpose.
     *
     * @param encryptionKey the configured key, in base64
     */
    public static byte[] code(String encryptionKey, String purpose, String text) {
        return mac(derive(encryptionKey, purpose), text);
    }

    /** The 256-bit key for a purpose. */
    public static byte[] derive(String encryptionKey, String purpose) {
        return mac(Base64.getDecoder().decode(encryptionKey.strip()), purpose);
    }

    private static byte[] mac(byte[] key, String text) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has HMAC-SHA256.", e);
        }
    }
}
