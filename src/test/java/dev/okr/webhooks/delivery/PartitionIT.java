package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;
import static org.assertj.core.api.Assertions.assertThat;

import dev.okr.access.Token;
import dev.okr.testing.Api;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.Relay;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica that loses the database while it holds deliveries, and reconnects after another replica took over. */
@Tag("waits")
class PartitionIT {
    private static final int DELIVERIES = 4;
    private static final Duration MAX_WAIT = Duration.ofSeconds(60);
    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));

    @TempDir
    private static Path folder;

    private CrashableDatabase database;
    private Relay relay;
    private Receiver receiver;
    private ServiceProcess cutOff;
    private ServiceProcess other;

    @BeforeEach
    void start() throws IOException {
        database = CrashableDatabase.start(folder);
        OrganizationFile.write(folder, TOKEN);
        var address = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        relay = Relay.to(address.getHost(), address.getPort());
        cutOff = replica(
                database.jdbcUrl().replace(address.getHost() + ':' + address.getPort(), "127.0.0.1:" + relay.port()));
        receiver = Receiver.start();
    }

    @AfterEach
    void stop() throws IOException {
        receiver.close();
        cutOff.close();
        if (other != null) {
            other.close();
        }
        relay.close();
        database.close();
    }

    @Test
    void another_replica_takes_over_and_late_results_overwrite_nothing() throws Exception {
        var cut = new CountDownLatch(1);
        receiver.answer(request -> connection -> {
            if (request.number() > DELIVERIES) {
                return Reply.status(200).write(connection);
            }
            // Some deliveries in flight on this replica succeed and some fail while it is disconnected.
            cut.await();
            return Reply.status(request.number() % 2 == 0 ? 200 : 500).write(connection);
        });
        api(cutOff)
                .post("/v1/webhooks", object("url", receiver.url("/"), "events", List.of("*")))
                .is(201);
        for (int i = 0; i < DELIVERIES; i++) {
            api(cutOff).post("/v1/cycles", Requests.uniqueCycle()).is(201);
        }
        receiver.await(DELIVERIES);

        relay.freeze();
        cut.countDown();
        other = replica(database.jdbcUrl());
        await(() -> deliveries("status = 'succeeded'").size() == DELIVERIES);
        var recorded = deliveries("true");
        assertThat(attempts()).isEqualTo(DELIVERIES);

        relay.thaw();
        await(() -> attempts() == 2 * DELIVERIES);
        assertThat(deliveries("true")).isEqualTo(recorded);
        assertThat(receiver.received()).hasSize(2 * DELIVERIES);
        var arrived = receiver.received().stream()
                .map(request -> request.header("webhook-id").orElseThrow())
                .toList();
        assertThat(arrived.subList(DELIVERIES, 2 * DELIVERIES))
                .containsExactlyInAnyOrderElementsOf(arrived.subList(0, DELIVERIES));

        await(() -> cutOff.status("/q/health/ready") == 200);
        api(cutOff).post("/v1/cycles", Requests.uniqueCycle()).is(201);
        await(() -> deliveries("status = 'succeeded'").size() == DELIVERIES + 1);
    }

    private ServiceProcess replica(String url) {
        var settings = database.serviceSettings(folder);
        settings.put("QUARKUS_DATASOURCE_JDBC_URL", url);
        // The lease is ten seconds longer than this timeout.
        settings.put("OKR_WEBHOOKS_REQUEST_TIMEOUT", "PT5S");
        return ServiceProcess.start(settings);
    }

    private static Api api(ServiceProcess replica) {
        return Api.of(replica.uri()).with(TOKEN);
    }

    /** The complete recorded state of the deliveries. */
    private List<String> deliveries(String condition) {
        return database.column("SELECT d::text FROM delivery d WHERE " + condition + " ORDER BY id");
    }

    private int attempts() {
        return Integer.parseInt(
                database.column("SELECT count(*) FROM delivery_attempt").getFirst());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        var deadline = Instant.now().plus(MAX_WAIT);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as("time").isBefore(deadline);
            Thread.sleep(100);
        }
    }
}
