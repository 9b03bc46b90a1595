package dev.okr.bench;

import java.io.IOException;

/** Creates and deletes webhooks in a loop. Each has a new host name. */
final class Subscriber implements AutoCloseable {
    private static final double SECONDS_BETWEEN = 0.2;

    private final Service service;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile double worstMillis;

    Subscriber(Service service) {
        this.service = service;
        this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    /** Stops the loop and waits for its last request. Returns the longest time to create a webhook, infinity after a failure. */
    double worstMillis() throws InterruptedException {
        close();
        return worstMillis;
    }

    private void run() {
        try (var api = service.connect()) {
            for (int i = 0; !stopped; i++) {
                var webhook = "{\"url\":\"http://host%d.test:1/hook\",\"events\":[\"team.created\"]}".formatted(i);
                long start = System.nanoTime();
                var id = api.change("POST", "/v1/webhooks", webhook).id();
                worstMillis = Math.max(worstMillis, (System.nanoTime() - start) / 1e6);
                api.change("DELETE", "/v1/webhooks/" + id, "");
                Commands.sleep(SECONDS_BETWEEN);
            }
        } catch (IOException | RuntimeException failed) {
            Report.say("  %s", failed);
            worstMillis = Double.POSITIVE_INFINITY;
        }
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
