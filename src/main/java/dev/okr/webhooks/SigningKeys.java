package dev.okr.webhooks;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted secrets that sign a webhook's deliveries.
 *
 * @param current the newest secret
 * @param previous the secret before the last rotation; null if it has expired
 */
public record SigningKeys(
        UUID organizationId,
        UUID webhookId,
        EncryptedSecret current,
        @Nullable EncryptedSecret previous) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String VERSION = "v1,";

    /**
     * Signs one attempt with every valid secret, according to Standard Webhooks 1.0.0. A signature is the HMAC-SHA256
     * of id, timestamp and body, joined by full stops.
     *
     * @return the value of the header {@code webhook-signature}: the signatures, separated by spaces
     * @throws IllegalStateException if a secret cannot be decrypted
     */
    public String sign(SecretBox box, String messageId, long timestampSeconds, byte[] body) {
        var context = Webhook.secretContext(organizationId.toString(), webhookId);
        var keys = new ArrayList<byte[]>();
        keys.add(box.decrypt(current, context));
        if (previous != null) {
            keys.add(box.decrypt(previous, context));
        }
        var prefix = (messageId + '.' + timestampSeconds + '.').getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> VERSION + sign(key, prefix, body)).collect(Collectors.joining(" "));
    }

    private static String sign(byte[] key, byte[] prefix, byte[] body) {
        try {
            var mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(prefix);
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The algorithm " + ALGORITHM + " cannot sign.", e);
        }
    }
}
