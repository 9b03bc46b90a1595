package dev.okr.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.okr.testing.FreePort;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the Java receiver of {@code docs/webhooks.md} as it is documented. {@code src/test/clients/webhooks.mjs} runs
 * those in other languages.
 */
class ReceiverRecipeTest {
    private static final Duration MAX_START = Duration.ofSeconds(60);
    private static final Pattern RECIPE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private static final String OTHER_SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
    private static final String RAW_SECRET = "a secret of their own";
    private static final String ID = "evt_01k9m2x7q4e8rvb3t5w6y0zac7";
    private static final String BODY = "{\"type\":\"objective.updated\",\"data\":{\"title\":\"Größer werden\"}}";

    private final String timestamp = String.valueOf(Instant.now().getEpochSecond());

    @TempDir
    private Path folder;

    @Test
    void it_accepts_only_requests_signed_with_its_secret() throws Exception {
        try (var receiver = start(SECRET)) {
            var signature = signature(SECRET, BODY);
            assertThat(receiver.post(BODY, signature)).isEqualTo(204);
            assertThat(receiver.post(BODY.replace("ö", "oe"), signature)).isEqualTo(401);
            assertThat(receiver.post(BODY, signature(OTHER_SECRET, BODY))).isEqualTo(401);
        }
    }

    @Test
    void after_a_rotation_it_accepts_requests_signed_with_both_secrets() throws Exception {
        try (var receiver = start(SECRET)) {
            var byOld = signature(SECRET, BODY);
            var byNew = signature(OTHER_SECRET, BODY);
            assertThat(receiver.post(BODY, byNew + ' ' + byOld)).isEqualTo(204);
        }
    }

    @Test
    void it_accepts_a_secret_without_the_prefix() throws Exception {
        try (var receiver = start(RAW_SECRET)) {
            assertThat(receiver.post(BODY, signature(RAW_SECRET, BODY))).isEqualTo(204);
            assertThat(receiver.post(BODY, signature(SECRET, BODY))).isEqualTo(401);
        }
    }

    private String signature(String secret, String body) {
        var content = "%s.%s.%s".formatted(ID, timestamp, body);
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SigningSecret.of(secret).key(), "HmacSHA256"));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(content.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private Receiver start(String secret) throws Exception {
        var recipe = RECIPE.matcher(Files.readString(Path.of("docs", "webhooks.md")));
        assertThat(recipe.find()).isTrue();
        var source = Files.writeString(folder.resolve("Receiver.java"), recipe.group(1));
        var library = Webhook.class.getProtectionDomain().getCodeSource().getLocation();
        int port = FreePort.find();
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var builder = new ProcessBuilder(
                        java.toString(), "-cp", Path.of(library.toURI()).toString(), source.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("receiver.log").toFile());
        builder.environment().put("WEBHOOK_SECRET", secret);
        builder.environment().put("PORT", String.valueOf(port));
        return new Receiver(builder.start(), URI.create("http://127.0.0.1:" + port + "/hooks/okr"), timestamp);
    }

    private record Receiver(Process process, URI uri, String timestamp) implements AutoCloseable {
        /** The status of the receiver's response, once it has started. */
        int post(String body, String signature) throws Exception {
            var request = HttpRequest.newBuilder(uri)
                    .header("webhook-id", ID)
                    .header("webhook-timestamp", timestamp)
                    .header("webhook-signature", signature)
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
            var deadline = Instant.now().plus(MAX_START);
            try (var http = HttpClient.newHttpClient()) {
                while (process.isAlive() && Instant.now().isBefore(deadline)) {
                    try {
                        return http.send(request, HttpResponse.BodyHandlers.discarding())
                                .statusCode();
                    } catch (ConnectException notYet) {
                        Thread.sleep(100);
                    }
                }
            }
            throw new IllegalStateException("the receiver does not start");
        }

        @Override
        public void close() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }
}
