package dev.okr.bench;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes changes over the API at a fixed rate, independent of the responses. Each change makes one event. Measures the
 * time until the events arrive at their subscriber.
 */
final class Load {
    /** The number of concurrent changes. Each connection changes its own objective. */
    private static final int CONNECTIONS = 32;

    private static final double MAX_WAIT_SECONDS = 30;

    private final Service service;
    private final AtomicInteger numbers;
    private final List<String> objectives = new ArrayList<>();

    /** @param numbers the last number given to a change */
    Load(Service service, AtomicInteger numbers) throws IOException {
        this.service = service;
        this.numbers = numbers;
        try (var api = service.connect()) {
            var cycle = api.change(
                            "POST",
                            "/v1/cycles",
                            "{\"name\":\"Benchmark\",\"starts_at\":\"2020-01-01T00:00:00Z\","
                                    + "\"ends_at\":\"2090-01-01T00:00:00Z\"}")
                    .id();
            for (int i = 0; i < CONNECTIONS; i++) {
                objectives.add(api.change(
                                "POST",
                                "/v1/objectives",
                                "{\"title\":\"Objective\",\"cycle_id\":\"" + cycle + "\",\"description\":\""
                                        + "They stay when onboarding is short and support is fast.\"}")
                        .id());
            }
        }
    }

    /**
     * The times until events arrived, in milliseconds.
     *
     * @param fromEvent since the event was made, just before its commit
     * @param fromResponse since the response of the API; missing if the event arrived earlier
     * @param perSecond the reached rate
     */
    record Times(double[] fromEvent, double[] fromResponse, double perSecond) {
        String fromEventText() {
            return text(fromEvent);
        }

        String fromResponseText() {
            return text(fromResponse);
        }

        double p99() {
            return Numbers.percentile(fromEvent, 0.99);
        }

        private static String text(double[] millis) {
            return Report.format(
                    "p50 %.1f ms, p99 %.1f ms, max %.0f ms",
                    Numbers.percentile(millis, 0.5), Numbers.percentile(millis, 0.99), Numbers.percentile(millis, 1));
        }
    }

    /** Makes one change at a time, with a pause after each arrival. */
    Times one(Endpoint endpoint, int changes, double pauseSeconds) throws IOException {
        var responded = new long[changes];
        int first = numbers.getAndAdd(changes) + 1;
        long start = System.nanoTime();
        try (var api = service.connect()) {
            for (int i = 0; i < changes; i++) {
                responded[i] = change(api, objectives.getFirst(), first + i);
                await(endpoint, first + i);
                // The pause varies, so that it does not synchronise with the service's schedules.
                Commands.sleep(pauseSeconds * (0.5 + ThreadLocalRandom.current().nextDouble()));
            }
        }
        return times(endpoint, first, responded, start, System.nanoTime());
    }

    /** Makes changes at a fixed rate for a duration, at fixed times. */
    Times steady(Endpoint endpoint, double perSecond, double seconds) throws InterruptedException {
        int changes = (int) (perSecond * seconds);
        var responded = new long[changes];
        int first = numbers.getAndAdd(changes) + 1;
        var next = new AtomicInteger();
        var failure = new AtomicReference<Exception>();
        var finished = new CountDownLatch(CONNECTIONS);
        long start = System.nanoTime();
        for (var objective : objectives) {
            Thread.ofVirtual().start(() -> {
                try (var api = service.connect()) {
                    for (int i = next.getAndIncrement(); i < changes; i = next.getAndIncrement()) {
                        long wait = start + (long) (i / perSecond * 1e9) - System.nanoTime();
                        if (wait > 0) {
                            Thread.sleep(wait / 1_000_000, (int) (wait % 1_000_000));
                        }
                        responded[i] = change(api, objective, first + i);
                    }
                } catch (Exception e) {
                    failure.set(e);
                } finally {
                    finished.countDown();
                }
            });
        }
        finished.await();
        long end = System.nanoTime();
        if (failure.get() != null) {
            throw new IllegalStateException(failure.get());
        }
        for (int i = 0; i < changes; i++) {
            await(endpoint, first + i);
        }
        return times(endpoint, first, responded, start, end);
    }

    private static long change(Api api, String objective, int number) throws IOException {
        api.change("PUT", "/v1/objectives/" + objective, "{\"title\":\"%s%010d\"}".formatted(Receiver.MARK, number));
        var now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    private static void await(Endpoint endpoint, int number) {
        long deadline = System.nanoTime() + (long) (MAX_WAIT_SECONDS * 1e9);
        while (endpoint.arrivedMicros(number) == 0) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("change " + number + " has not arrived");
            }
            Commands.sleep(0.002);
        }
    }

    private static Times times(Endpoint endpoint, int first, long[] responded, long start, long end) {
        var fromEvent = new double[responded.length];
        var fromResponse = new double[responded.length];
        for (int i = 0; i < responded.length; i++) {
            long arrived = endpoint.arrivedMicros(first + i);
            fromEvent[i] = (arrived - endpoint.happenedMicros(first + i)) / 1e3;
            fromResponse[i] = Math.max(0, arrived - responded[i]) / 1e3;
        }
        return new Times(fromEvent, fromResponse, responded.length / ((end - start) / 1e9));
    }
}
