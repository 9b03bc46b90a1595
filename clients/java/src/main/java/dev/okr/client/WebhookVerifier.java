package dev.okr.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.okr.client.model.Event;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Verifies the requests of webhooks and reads their events. */
public class WebhookVerifier {
    private final Webhook webhook;

    /**
     * @param secret the secret of the webhook
     */
    public WebhookVerifier(String secret) {
        webhook = secret.startsWith("whsec_")
                ? new Webhook(secret)
                : new Webhook(secret.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads an event after it has verified the signature and the time of the request.
     *
     * @param body the raw body
     * @param headers the headers of the request
     * @throws WebhookVerificationException if the request is not from the service, or older than five minutes
     */
    public Event verify(String body, Map<String, List<String>> headers) throws WebhookVerificationException {
        webhook.verify(body, headers);
        try {
            return Json.MAPPER.readValue(body, Event.class);
        } catch (JsonProcessingException malformed) {
            throw new IllegalArgumentException("The body is not an event.", malformed);
        }
    }
}
