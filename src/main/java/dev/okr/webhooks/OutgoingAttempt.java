package dev.okr.webhooks;

/**
 * One attempt of a delivery, ready to be sent.
 *
 * @param url the target, as the subscriber wrote it
 * @param messageId the event's id, the same on every attempt
 * @param timestampSeconds Unix time of this attempt
 * @param signature the whole value of the header
 * @param body the payload that was signed
 */
public record OutgoingAttempt(String url, String messageId, long timestampSeconds, String signature, byte[] body) {

    /** Keeps payload, signature and URL out of logs. */
    @Override
    public String toString() {
        return "OutgoingAttempt " + messageId;
    }
}
