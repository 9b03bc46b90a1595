package dev.okr.webhooks;

import dev.okr.platform.encryption.EncryptedSecret;
import dev.okr.platform.encryption.SecretBox;
import java.util.ArrayList;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted secrets that sign what a webhook is sent.
 *
 * @param current the secret that was shown last
 * @param previous the one before, while it still signs
 */
public record SigningKeys(
        UUID organizationId,
        UUID webhookId,
        EncryptedSecret current,
        @Nullable EncryptedSecret previous) {

    /**
     * Signs one attempt with every secret in force.
     *
     * @return the value of the header {@code webhook-signature}
     * @throws IllegalStateException when a secret does not decrypt
     */
    public String sign(SecretBox box, String messageId, long timestampSeconds, byte[] body) {
        var context = Webhook.secretContext(organizationId.toString(), webhookId);
        var keys = new ArrayList<byte[]>();
        keys.add(box.decrypt(current, context));
        if (previous != null) {
            keys.add(box.decrypt(previous, context));
        }
        return Signature.header(keys, messageId, timestampSeconds, body);
    }
}
