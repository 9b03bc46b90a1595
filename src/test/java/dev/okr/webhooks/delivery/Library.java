package dev.okr.webhooks.delivery;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.okr.testing.Receiver.Received;
import java.nio.charset.StandardCharsets;

/** The Standard Webhooks library, which subscribers use to verify deliveries. */
final class Library {
    private static final String PREFIX = "whsec_";

    private Library() {}

    static boolean accepts(String secret, Received request) {
        return accepts(secret, request, request.text());
    }

    /** Whether the signature of the request matches the body. */
    static boolean accepts(String secret, Received request, String body) {
        var webhook =
                secret.startsWith(PREFIX) ? new Webhook(secret) : new Webhook(secret.getBytes(StandardCharsets.UTF_8));
        try {
            webhook.verify(body, request.headers());
            return true;
        } catch (WebhookVerificationException e) {
            return false;
        }
    }
}
