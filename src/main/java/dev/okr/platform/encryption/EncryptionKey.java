package dev.okr.platform.encryption;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** One of the operator's keys, and AES-256-GCM with it. Nothing of the key but its id is ever shown. */
final class EncryptionKey {
    static final int NONCE_BYTES = 12;

    private static final int KEY_BYTES = 32;
    private static final int TAG_BITS = 128;
    private static final int ID_BYTES = 4;
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";

    private final String id;
    private final SecretKeySpec key;

    private EncryptionKey(byte[] bytes) throws GeneralSecurityException {
        var hash = MessageDigest.getInstance("SHA-256").digest(bytes);
        this.id = HexFormat.of().formatHex(hash, 0, ID_BYTES);
        this.key = new SecretKeySpec(bytes, "AES");
    }

    /** @throws IllegalArgumentException naming the property, never its value */
    static EncryptionKey parse(String base64, String property) {
        try {
            var bytes = Base64.getDecoder().decode(base64.strip());
            if (bytes.length == KEY_BYTES) {
                return new EncryptionKey(bytes);
            }
        } catch (IllegalArgumentException notBase64) {
            // Falls through: the exception would quote characters of the key.
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        throw new IllegalArgumentException(
                property + " must be base64 of exactly " + KEY_BYTES + " bytes, as from: openssl rand -base64 32");
    }

    /** The first eight hexadecimal digits of the key's SHA-256: enough to tell the keys of one operator apart. */
    String id() {
        return id;
    }

    boolean isSameAs(EncryptionKey other) {
        return MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }

    /** Nonce, ciphertext and tag. */
    byte[] encrypt(byte[] nonce, byte[] plaintext, byte[] context) {
        try {
            var ciphertext = cipher(Cipher.ENCRYPT_MODE, nonce, context).doFinal(plaintext);
            var sealed = Arrays.copyOf(nonce, nonce.length + ciphertext.length);
            System.arraycopy(ciphertext, 0, sealed, nonce.length, ciphertext.length);
            return sealed;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + TRANSFORMATION, e);
        }
    }

    /** @throws GeneralSecurityException when key, context or a single bit of the bytes is not what it was */
    byte[] decrypt(byte[] sealed, byte[] context) throws GeneralSecurityException {
        if (sealed.length < NONCE_BYTES) {
            throw new GeneralSecurityException("too short to hold a nonce");
        }
        return cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE_BYTES), context)
                .doFinal(sealed, NONCE_BYTES, sealed.length - NONCE_BYTES);
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] context) throws GeneralSecurityException {
        var cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(context);
        return cipher;
    }
}
