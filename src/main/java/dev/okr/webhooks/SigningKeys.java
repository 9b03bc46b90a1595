package dev.okr.webhooks;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import java.util.ArrayList;
import java.util.UUID;
import java.util.stream.Collectors;
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
    /**
     * Signs one attempt with every valid secret, according to Standard Webhooks 1.0.0.
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
        return keys.stream()
                .map(key -> SigningSecret.sign(key, messageId, timestampSeconds, body))
                .collect(Collectors.joining(" "));
    }
}
