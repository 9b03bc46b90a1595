package dev.okr.operations.commands;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Follows the events of an organisation and sends each one to a receiver, once and in order. It keeps its cursor while
 * the service restarts.
 */
final class EventForwarder {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(10);
    private static final Duration OVERLAP = Duration.ofMinutes(1);
    private static final int PER_PAGE = 100;
    private static final int GONE = 410;

    private final ServiceClient service;
    private final LocalReceiver receiver;
    private final Set<String> types;
    private final PrintWriter out;

    private String path = "";
    private String cursor = "";
    private boolean isReady;
    private Duration pause = POLL;

    /** @param types the types to forward; empty for all */
    EventForwarder(ServiceClient service, LocalReceiver receiver, Set<String> types, PrintWriter out) {
        this.service = service;
        this.receiver = receiver;
        this.types = types;
        this.out = out;
    }

    /** @throws CommandFailure if the service refuses the key */
    void run(BooleanSupplier isStopped) throws InterruptedException {
        boolean isReachable = true;
        while (!isStopped.getAsBoolean()) {
            try {
                var answer = path.isEmpty()
                        ? start()
                        : service.get(path + URLEncoder.encode(cursor, StandardCharsets.UTF_8));
                if (!isReachable) {
                    say("The service answers again.");
                }
                isReachable = true;
                handle(answer);
            } catch (IOException e) {
                if (isReachable) {
                    say("The service does not respond. Retrying.");
                }
                isReachable = false;
                var longer = pause.isZero() ? POLL : pause.multipliedBy(2);
                pause = longer.compareTo(MAX_PAUSE) < 0 ? longer : MAX_PAUSE;
            }
            Thread.sleep(pause);
        }
    }

    /**
     * Skips all existing events since one minute ago, by the clock of the service. Then new events are also found if
     * their transaction began earlier.
     */
    private ServiceClient.Answer start() throws IOException {
        var now = service.get("/v1/events?per_page=1");
        if (now.isOk()) {
            path = "/v1/events?order=asc&per_page=" + PER_PAGE + "&since="
                    + now.at().minus(OVERLAP) + "&cursor=";
            cursor = "";
            isReady = false;
            return service.get(path);
        }
        return now;
    }

    private void handle(ServiceClient.Answer answer) {
        if (answer.isOk()) {
            take(answer.body());
        } else if (answer.isTemporary()) {
            pause = answer.retryAfter().isZero() ? POLL : answer.retryAfter();
        } else if (answer.status() == GONE) {
            say("Some events are too old to be read. Continuing with new ones.");
            path = "";
        } else {
            throw new CommandFailure(answer.reason());
        }
    }

    private void take(JsonNode page) {
        boolean isLast = page.path("data").size() < PER_PAGE;
        if (isReady) {
            page.path("data").forEach(this::forward);
        } else if (isLast) {
            isReady = true;
            say("Ready.");
        }
        cursor = page.path("meta").path("next_cursor").asText(cursor);
        pause = isLast ? POLL : Duration.ZERO;
    }

    private void forward(JsonNode event) {
        var type = event.path("type").asText();
        if (types.isEmpty() || types.contains(type)) {
            receiver.send(event.path("id").asText(), type, event.toString().getBytes(StandardCharsets.UTF_8));
        }
    }

    private void say(String message) {
        out.println(message);
        out.flush();
    }
}
