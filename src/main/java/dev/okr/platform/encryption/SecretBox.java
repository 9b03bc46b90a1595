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
 * Encrypts what the database must not reveal, with the operator's key, and decrypts it with that key or an earlier
 * one. Each secret is bound to a context, such as the row that it belongs to: moved elsewhere, it does not decrypt.
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
     * Encrypts under the current key.
     *
     * @param context what the secret belongs to; the same text is needed to decrypt it
     * @throws IllegalStateException when the operator set no key
     */
    public EncryptedSecret seal(byte[] plaintext, String context) {
        if (current == null) {
            throw new IllegalStateException(
                    KEY + " (OKR_ENCRYPTION_KEY) is not set: set it to base64 of 32 random bytes");
        }
        // Random nonces are safe for far more secrets under one key than anyone has. A new generator each time: one
        // in a static field would be seeded while a native image is built.
        var nonce = new byte[EncryptionKey.NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        return new EncryptedSecret(current.id(), current.encrypt(nonce, plaintext, bytes(context)));
    }

    /**
     * The same secret under the current key.
     *
     * @throws IllegalStateException when it does not decrypt, or the operator set no key
     */
    public EncryptedSecret reseal(EncryptedSecret sealed, String context) {
        return seal(open(sealed, context), context);
    }

    /** The id of the key that new secrets are encrypted with; none when the operator set no key. */
    public Optional<String> currentKeyId() {
        return Optional.ofNullable(current).map(EncryptionKey::id);
    }

    /** Whether a key of this id is among the operator's. */
    public boolean knows(String keyId) {
        return keys.containsKey(keyId);
    }

    /** @throws IllegalStateException when the key is gone, or when key, context or bytes are not what they were */
    public byte[] open(EncryptedSecret sealed, String context) {
        var key = keys.get(sealed.keyId());
        if (key == null) {
            throw new IllegalStateException("a secret is encrypted with key " + sealed.keyId() + ", which is neither "
                    + KEY + " nor among " + PREVIOUS_KEYS);
        }
        try {
            return key.decrypt(sealed.bytes(), bytes(context));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "a secret does not decrypt with key " + sealed.keyId() + ": its row was changed or moved", e);
        }
    }

    private void add(EncryptionKey key) {
        var same = keys.putIfAbsent(key.id(), key);
        if (same != null && !same.isSameAs(key)) {
            throw new IllegalArgumentException(
                    "two encryption keys share the id " + key.id() + "; generate another key instead of the newer");
        }
    }

    private static byte[] bytes(String context) {
        return context.getBytes(StandardCharsets.UTF_8);
    }
}
