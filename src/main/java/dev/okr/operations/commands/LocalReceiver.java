package dev.okr.operations.commands;

import dev.okr.webhooks.SigningSecret;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/** A receiver of webhooks on a developer's machine. It gets events like those of the service, signed with a secret. */
final class LocalReceiver {
    private static final Duration MAX_CONNECT = Duration.ofSeconds(5);
    private static final Duration MAX_ANSWER = Duration.ofSeconds(15);

    private final URI url;
    private final SigningSecret secret;
    private final PrintWriter out;

    LocalReceiver(URI url, SigningSecret secret, PrintWriter out) {
        this.url = url;
        this.secret = secret;
        this.out = out;
    }

    /** Sends an event and prints it with the status of the answer. Returns whether the answer was a success. */
    boolean send(String id, String type, byte[] event) {
        var started = Instant.now();
        String result;
        boolean isSuccess = false;
        try {
            int status = post(id, event);
            isSuccess = status / 100 == 2;
            result = String.valueOf(status);
        } catch (IOException e) {
            result = "no answer: " + e.getMessage();
        }
        var time = LocalTime.now(Clock.system(ZoneId.systemDefault())).truncatedTo(ChronoUnit.SECONDS);
        long millis = Duration.between(started, Instant.now()).toMillis();
        out.println(time + "  " + type + "  " + id + "  -> " + result + " (" + millis + " ms)");
        out.flush();
        return isSuccess;
    }

    private int post(String id, byte[] event) throws IOException {
        long timestamp = Instant.now().getEpochSecond();
        var connection = (HttpURLConnection) url.toURL().openConnection();
        connection.setConnectTimeout((int) MAX_CONNECT.toMillis());
        connection.setReadTimeout((int) MAX_ANSWER.toMillis());
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setRequestProperty("webhook-id", id);
        connection.setRequestProperty("webhook-timestamp", String.valueOf(timestamp));
        connection.setRequestProperty("webhook-signature", secret.sign(id, timestamp, event));
        connection.setDoOutput(true);
        try {
            connection.getOutputStream().write(event);
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
