package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.standardwebhooks.Webhook;
import dev.okr.testing.CommandProcess;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Receiver;
import dev.okr.testing.ServiceProcess;
import io.quarkus.test.junit.QuarkusIntegrationTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code okr listen} and {@code okr trigger} as processes. {@link ListenTest} tests their rules. */
@QuarkusIntegrationTest
@Tag("waits")
class ListenIT extends HttpTest {
    @TempDir
    Path home;

    @Test
    void listen_survives_a_restart_of_the_service_and_trigger_finds_its_receiver() throws Exception {
        var replica = ServiceProcess.onTestDatabase(Map.of());
        var environment = Map.of(
                "HOME", home.toString(),
                "OKR_SERVICE", replica.uri().toString(),
                "OKR_API_KEY", acme.key(acme.adminUser().uuid()));
        Process listen = null;
        try (var receiver = Receiver.start()) {
            listen = CommandProcess.start(
                    environment,
                    home.resolve("output"),
                    "listen",
                    "--forward-to",
                    receiver.url("/hook"),
                    "--events",
                    "objective.created");
            awaitOutput("Ready.");
            replica.stop();
            awaitOutput("does not respond");
            var objective = newObjective();
            replica = ServiceProcess.onTestDatabase(
                    Map.of("QUARKUS_HTTP_PORT", String.valueOf(replica.uri().getPort())));
            assertThat(receiver.await(1).getFirst().text()).contains(objective);

            assertThat(CommandProcess.run(environment, "trigger", "objective.created")
                            .exitCode())
                    .isZero();

            assertThat(receiver.received()).hasSize(2);
            var webhook = new Webhook(output().replaceAll("(?s).*Signing secret: (\\S+).*", "$1"));
            for (var each : receiver.received()) {
                webhook.verify(each.text(), each.headers());
                assertThat(each.text()).contains("\"type\":\"objective.created\"");
            }
        } finally {
            if (listen != null) {
                listen.destroy();
            }
            replica.close();
        }
    }

    private void awaitOutput(String text) {
        await(() -> output().contains(text), this::output);
    }

    private String output() {
        try {
            return Files.readString(home.resolve("output"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
