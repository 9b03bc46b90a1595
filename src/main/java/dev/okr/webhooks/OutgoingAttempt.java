package dev.okr.webhooks;

import java.util.UUID;

/**
 * One attempt of a delivery, ready to send.
 *
 * @param organizationId the organisation whose share of the lookups of names the attempt uses
 * @param url the target, as the subscriber wrote it
 * @param messageId the event's id, which is the same for every attempt
 * @param timestampSeconds the Unix time of this attempt
 * @param signature the value of the header {@code webhook-signature}
 * @param body the payload that was signed
 */
public record OutgoingAttempt(
        UUID organizationId, String url, String messageId, long timestampSeconds, String signature, byte[] body) {

    /** Keeps payload, signature and URL out of logs. */
    @Override
    public String toString() {
        return "OutgoingAttempt " + messageId;
    }
}
