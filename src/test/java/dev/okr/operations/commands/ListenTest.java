package dev.okr.operations.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import dev.okr.testing.HttpTest;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Received;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.Relay;
import dev.okr.webhooks.SigningSecret;
import io.quarkus.test.junit.QuarkusTest;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forwarding events to a receiver on a developer's machine. */
@QuarkusTest
class ListenTest extends HttpTest {
    private static final Duration MAX_WAIT = Duration.ofSeconds(20);

    private final SigningSecret secret = SigningSecret.generate();
    private final StringWriter output = new StringWriter();
    private final AtomicBoolean isStopped = new AtomicBoolean();

    @AfterEach
    void stop() {
        isStopped.set(true);
    }

    @Test
    void new_events_arrive_once_and_signed() throws Exception {
        newCycle();
        try (var receiver = Receiver.start().answer(Reply.status(500), Reply.status(200))) {
            listen(service, receiver, Set.of());

            var objective = newObjective();
            var received = receiver.await(2);

            assertThat(received).extracting(ListenTest::type).containsExactly("cycle.created", "objective.created");
            assertThat(received.getLast().text()).contains(objective);
            for (var each : received) {
                new Webhook(secret.text()).verify(each.text(), each.headers());
            }
            var events = admin.get("/v1/events?order=asc&cursor=&type=objective.created");
            assertThat(events.data().get(0).toString())
                    .isEqualTo(received.getLast().text());
            await("-> 500");
            await("objective.created  "
                    + received.getLast().header("webhook-id").orElseThrow() + "  -> 200");
        }
    }

    @Test
    void a_restart_of_the_service_loses_nothing() throws Exception {
        try (var receiver = Receiver.start();
                var relay = Relay.to("127.0.0.1", service.getPort())) {
            listen(URI.create("http://127.0.0.1:" + relay.port()), receiver, Set.of("objective.created"));
            relay.cut();
            await("does not respond");
            newObjective();
            relay.restore();

            assertThat(receiver.await(1)).extracting(ListenTest::type).containsExactly("objective.created");
            await("answers again");
        }
    }

    @Test
    void a_key_without_the_scope_ends_the_command() {
        var client = new ServiceClient(service, acme.key(acme.adminUser().uuid(), null, "read"));
        var forwarder = new EventForwarder(client, receiver("http://127.0.0.1:9/hook"), Set.of(), writer());

        assertThatThrownBy(() -> forwarder.run(isStopped::get))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("403")
                .hasMessageContaining("webhooks");
    }

    @Test
    void an_example_of_each_event_can_be_sent() throws Exception {
        try (var receiver = Receiver.start()) {
            var types = List.of("objective.created", "objective.updated", "check_in.deleted", "webhook.ping");
            for (var type : types) {
                assertThat(trigger(type, "--forward-to", receiver.url("/hook"), "--secret", secret.text()))
                        .isZero();
            }

            assertThat(receiver.received()).extracting(ListenTest::type).containsExactlyElementsOf(types);
            for (var each : receiver.received()) {
                new Webhook(secret.text()).verify(each.text(), each.headers());
                assertThat(each.text()).contains(each.header("webhook-id").orElseThrow());
            }
            assertThat(trigger("objective.nope", "--forward-to", receiver.url("/"), "--secret", secret.text()))
                    .isOne();
            assertThat(trigger("objective.created", "--forward-to", receiver.url("/")))
                    .isEqualTo(2);
        }
    }

    @Test
    void only_the_user_can_read_the_secret(@TempDir Path home) throws Exception {
        var file = home.resolve(".okr").resolve("listen.json");
        new ListenState("http://localhost:3000/hook", secret.text()).write(file);

        assertThat(ListenState.read(file)).hasValue(new ListenState("http://localhost:3000/hook", secret.text()));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    private int trigger(String type, String... options) {
        var arguments = new ArrayList<>(List.of("trigger", type, "--service", service.toString()));
        arguments.addAll(List.of(options));
        return CommandLineTool.commands().setOut(writer()).setErr(writer()).execute(arguments.toArray(String[]::new));
    }

    private void listen(URI from, Receiver receiver, Set<String> types) {
        var client = new ServiceClient(from, acme.key(acme.adminUser().uuid()));
        var forwarder = new EventForwarder(client, receiver(receiver.url("/hook")), types, writer());
        Thread.ofPlatform().daemon().start(() -> {
            try {
                forwarder.run(isStopped::get);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await("Ready.");
    }

    private LocalReceiver receiver(String url) {
        return new LocalReceiver(URI.create(url), secret, writer());
    }

    private PrintWriter writer() {
        return new PrintWriter(output, true);
    }

    private void await(String text) {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!output.toString().contains(text)) {
            assertThat(Instant.now()).as(output::toString).isBefore(deadline);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    private static String type(Received received) {
        return received.text().replaceAll(".*\"type\":\"([a-z_.]+)\".*", "$1");
    }
}
