package dev.okr.webhooks.delivery;

import static dev.okr.testing.Json.object;

import dev.okr.access.Token;
import dev.okr.testing.Api;
import dev.okr.testing.CrashableDatabase;
import dev.okr.testing.OrganizationFile;
import dev.okr.testing.Receiver;
import dev.okr.testing.Receiver.Reply;
import dev.okr.testing.Requests;
import dev.okr.testing.ServiceProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica whose poller wakes up only for signals, because its schedule is very long. */
@Tag("waits")
class WakeUpIT {
    private static final int SLOTS = 64;
    private static final int WEBHOOKS = 60;
    private static final int EVENTS = 60;
    private static final String TOKEN = Token.generate(() -> new SecureRandom().nextInt(62));

    @TempDir
    private static Path folder;

    private CrashableDatabase database;
    private Receiver receiver;
    private ServiceProcess replica;
    private Api api;

    @BeforeEach
    void start() throws IOException {
        database = CrashableDatabase.start(folder);
        OrganizationFile.write(folder, TOKEN);
        var settings = database.serviceSettings(folder);
        settings.put("OKR_WEBHOOKS_POLL_EVERY", "1h");
        settings.put("OKR_WEBHOOKS_MAX_CONCURRENCY", String.valueOf(SLOTS));
        replica = ServiceProcess.start(settings);
        api = Api.of(replica.uri()).with(TOKEN);
        receiver = Receiver.start();
    }

    @AfterEach
    void stop() throws IOException {
        receiver.close();
        replica.close();
        database.close();
    }

    private void subscribe(String event) {
        api.post("/v1/webhooks", object("url", receiver.url("/"), "events", List.of(event)))
                .is(201);
    }

    private void answerAfter(int millis) {
        receiver.answer(request -> connection -> {
            Thread.sleep(millis);
            return Reply.status(200).write(connection);
        });
    }

    @Test
    void large_payloads_beyond_the_share_of_an_organisation_are_sent() {
        answerAfter(100);
        for (int i = 0; i < WEBHOOKS; i++) {
            subscribe("objective.created");
        }
        // The payload uses three slots. A claim does not know this in advance.
        var cycle = api.post("/v1/cycles", Requests.uniqueCycle()).is(201).id();
        var objective = Requests.with(Requests.objective(cycle), "description", "😀".repeat(4_096));
        api.post("/v1/objectives", objective).is(201);
        receiver.await(WEBHOOKS);
    }

    @Test
    void an_endpoint_that_answers_in_half_a_second_gets_all_events() {
        subscribe("cycle.created");
        answerAfter(400);
        for (int i = 0; i < EVENTS; i++) {
            api.post("/v1/cycles", Requests.uniqueCycle()).is(201);
        }
        receiver.await(EVENTS);
    }
}
