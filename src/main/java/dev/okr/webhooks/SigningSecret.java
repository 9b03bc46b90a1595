package dev.okr.webhooks;

import dev.okr.platform.errors.FieldError;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The secret that signs a webhook's deliveries. After the prefix of Standard Webhooks, the text is the key in base64.
 * Without the prefix, the UTF-8 bytes of the text are the key.
 */
public final class SigningSecret {
    static final String PREFIX = "whsec_";

    private static final int GENERATED_KEY_BYTES = 32;
    private static final int MIN_KEY_BYTES = 24;
    private static final int MAX_KEY_BYTES = 64;
    static final int MIN_CHARACTERS = 16;
    static final int MAX_CHARACTERS = 128;

    private static final String ALGORITHM = "HmacSHA256";
    private static final String VERSION = "v1,";

    private final String text;
    private final byte[] key;

    private SigningSecret(String text, byte[] key) {
        this.text = text;
        this.key = key;
    }

    public static SigningSecret generate() {
        var key = new byte[GENERATED_KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new SigningSecret(PREFIX + Base64.getEncoder().encodeToString(key), key);
    }

    /** @param text a secret that passed {@link #check} */
    public static SigningSecret of(String text) {
        var key = key(text);
        if (key == null) {
            throw new IllegalArgumentException("The text is not a signing secret.");
        }
        return new SigningSecret(text, key);
    }

    /** The error in a secret from the client, if any. */
    public static Optional<FieldError> check(String text) {
        if (key(text) != null) {
            return Optional.empty();
        }
        return Optional.of(
                text.startsWith(PREFIX)
                        ? new FieldError(
                                "/secret",
                                "invalid_format",
                                "After %s this field must be padded base64 of %d to %d bytes."
                                        .formatted(PREFIX, MIN_KEY_BYTES, MAX_KEY_BYTES))
                        : new FieldError(
                                "/secret",
                                "invalid_format",
                                "This field must have %d to %d characters and no control characters."
                                        .formatted(MIN_CHARACTERS, MAX_CHARACTERS)));
    }

    /** The text to show to the client, once. */
    public String text() {
        return text;
    }

    /** The HMAC key. */
    byte[] key() {
        return key.clone();
    }

    /**
     * The signature of a message, according to Standard Webhooks 1.0.0: the HMAC-SHA256 of id, timestamp and body, joined
     * by full stops.
     */
    public String sign(String messageId, long timestampSeconds, byte[] body) {
        return sign(key, messageId, timestampSeconds, body);
    }

    static String sign(byte[] key, String messageId, long timestampSeconds, byte[] body) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update((messageId + '.' + timestampSeconds + '.').getBytes(StandardCharsets.UTF_8));
            return VERSION + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The algorithm " + ALGORITHM + " cannot sign.", e);
        }
    }

    /** Keeps the secret out of logs. */
    @Override
    public String toString() {
        return "SigningSecret";
    }

    private static byte @Nullable [] key(String text) {
        return text.startsWith(PREFIX) ? decoded(text.substring(PREFIX.length())) : raw(text);
    }

    private static byte @Nullable [] decoded(String base64) {
        try {
            var key = Base64.getDecoder().decode(base64);
            // Java accepts missing padding and nonzero unused bits. Some libraries of subscribers do not.
            boolean exact = Base64.getEncoder().encodeToString(key).equals(base64);
            return exact && key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    private static byte @Nullable [] raw(String text) {
        int characters = text.codePointCount(0, text.length());
        boolean clean = text.codePoints().allMatch(SigningSecret::isClean);
        return clean && characters >= MIN_CHARACTERS && characters <= MAX_CHARACTERS
                ? text.getBytes(StandardCharsets.UTF_8)
                : null;
    }

    private static boolean isClean(int codePoint) {
        int type = Character.getType(codePoint);
        return type != Character.CONTROL && type != Character.SURROGATE;
    }
}
