package dev.okr.platform.encryption;

import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts secrets with the operator's current key and decrypts them with the current key or a previous one. Each
 * secret is bound to a context, such as its row. It cannot be decrypted with another context.
 */
@ApplicationScoped
public class SecretBox {
    static final String KEY = "okr.encryption-key";
    static final String PREVIOUS_KEYS = "okr.encryption-keys-previous";

    private final @Nullable EncryptionKey current;
    private final Map<String, EncryptionKey> keys = new LinkedHashMap<>();

    SecretBox(
            @ConfigProperty(name = KEY) Optional<String> key,
            @ConfigProperty(name = PREVIOUS_KEYS) Optional<List<String>> previousKeys) {
        this.current = key.map(base64 -> EncryptionKey.parse(base64, KEY)).orElse(null);
        if (current != null) {
            add(current);
        }
        previousKeys.orElse(List.of()).stream()
                .filter(base64 -> !base64.isBlank())
                .forEach(base64 -> add(EncryptionKey.parse(base64, PREVIOUS_KEYS)));
    }

    /**
     * Encrypts with the current key.
     *
     * @param context the text that {@link #decrypt} must get too
     * @throws IllegalStateException if no key is configured
     */
    public EncryptedSecret encrypt(byte[] plaintext, String context) {
        if (current == null) {
            throw new IllegalStateException(
                    KEY + " (OKR_ENCRYPTION_KEY) is not set. Set it to base64 of 32 random bytes.");
        }
        // Random nonces are safe for 2^32 secrets per key. The generator is not a static field, because a native image
        // would contain its seed.
        var nonce = new byte[EncryptionKey.NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        return new EncryptedSecret(current.id(), current.encrypt(nonce, plaintext, bytes(context)));
    }

    /**
     * Decrypts a secret and encrypts it with the current key.
     *
     * @throws IllegalStateException if it cannot be decrypted or no key is configured
     */
    public EncryptedSecret reencrypt(EncryptedSecret secret, String context) {
        return encrypt(decrypt(secret, context), context);
    }

    /** The id of the current key. Empty if no key is configured. */
    public Optional<String> currentKeyId() {
        return Optional.ofNullable(current).map(EncryptionKey::id);
    }

    /** Whether a key with this id is configured. */
    public boolean knows(String keyId) {
        return keys.containsKey(keyId);
    }

    /** @throws IllegalStateException if its key is not configured, the context is wrong or the bytes were changed */
    public byte[] decrypt(EncryptedSecret secret, String context) {
        var key = keys.get(secret.keyId());
        if (key == null) {
            throw new IllegalStateException("A secret is encrypted with the key " + secret.keyId()
                    + ", which is neither in " + KEY + " nor in " + PREVIOUS_KEYS + '.');
        }
        try {
            return key.decrypt(secret.bytes(), bytes(context));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "A secret cannot be decrypted with key " + secret.keyId() + ". Its row was changed or moved.", e);
        }
    }

    private void add(EncryptionKey key) {
        var same = keys.putIfAbsent(key.id(), key);
        if (same != null && !same.isSameAs(key)) {
            throw new IllegalArgumentException("Two encryption keys have the id " + key.id()
                    + ". Generate another key and replace the newer one.");
        }
    }

    private static byte[] bytes(String context) {
        return context.getBytes(StandardCharsets.UTF_8);
    }
}
