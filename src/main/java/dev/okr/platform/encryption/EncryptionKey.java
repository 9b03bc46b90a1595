package dev.okr.platform.encryption;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** One of the operator's keys, for AES-256-GCM. Only its id is ever shown. */
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

    /** @throws IllegalArgumentException with the name of the property, without its value */
    static EncryptionKey parse(String base64, String property) {
        try {
            var bytes = Base64.getDecoder().decode(base64.strip());
            if (bytes.length == KEY_BYTES) {
                return new EncryptionKey(bytes);
            }
        } catch (IllegalArgumentException notBase64) {
            // The cause is left out, because its message quotes characters of the key.
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
        throw new IllegalArgumentException(property + " must be base64 of exactly " + KEY_BYTES
                + " bytes. Generate it with: openssl rand -base64 32");
    }

    /** The first eight hexadecimal digits of the key's SHA-256. */
    String id() {
        return id;
    }

    boolean isSameAs(EncryptionKey other) {
        return MessageDigest.isEqual(key.getEncoded(), other.key.getEncoded());
    }

    /** Returns nonce, ciphertext and tag. */
    byte[] encrypt(byte[] nonce, byte[] plaintext, byte[] context) {
        try {
            var ciphertext = cipher(Cipher.ENCRYPT_MODE, nonce, context).doFinal(plaintext);
            var encrypted = Arrays.copyOf(nonce, nonce.length + ciphertext.length);
            System.arraycopy(ciphertext, 0, encrypted, nonce.length, ciphertext.length);
            return encrypted;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has " + TRANSFORMATION + '.', e);
        }
    }

    /** @throws GeneralSecurityException if the key or the context is wrong, or the bytes were changed */
    byte[] decrypt(byte[] encrypted, byte[] context) throws GeneralSecurityException {
        if (encrypted.length < NONCE_BYTES) {
            throw new GeneralSecurityException("The bytes are too short for a nonce.");
        }
        return cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(encrypted, NONCE_BYTES), context)
                .doFinal(encrypted, NONCE_BYTES, encrypted.length - NONCE_BYTES);
    }

    private Cipher cipher(int mode, byte[] nonce, byte[] context) throws GeneralSecurityException {
        var cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(context);
        return cipher;
    }
}
