package dev.okr.platform.encryption;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keys for other purposes than encrypting secrets, made of the installation's encryption key: the same on every
 * replica and after every restart, and none tells anything of another or of the key itself.
 */
public final class DerivedKey {
    private static final String ALGORITHM = "HmacSHA256";

    private DerivedKey() {}

    /**
     * A code that only an installation with this key can make for the text.
     *
     * @param encryptionKey base64, as it is configured
     * @param purpose what the code is for, so that one made for something else never fits
     */
    public static byte[] code(String encryptionKey, String purpose, String text) {
        return mac(derive(encryptionKey, purpose), text);
    }

    /** A key of 256 bits for a purpose. */
    public static byte[] derive(String encryptionKey, String purpose) {
        return mac(Base64.getDecoder().decode(encryptionKey.strip()), purpose);
    }

    private static byte[] mac(byte[] key, String text) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HMAC-SHA256", e);
        }
    }
}
