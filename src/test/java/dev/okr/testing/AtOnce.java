package dev.okr.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Sends requests from several clients at the same time. */
public final class AtOnce {
    public static final int CLIENTS = 16;
    public static final int MAX_SECONDS = 60;

    private AtOnce() {}

    public static List<Callable<Answer>> times(int count, Callable<Answer> request) {
        return IntStream.range(0, count).mapToObj(i -> request).toList();
    }

    /** Sends all requests, one per client at the same time, and waits for the responses. */
    public static List<Answer> run(List<Callable<Answer>> requests) throws Exception {
        var start = new CountDownLatch(Math.min(CLIENTS, requests.size()));
        try (var clients = Executors.newFixedThreadPool(CLIENTS)) {
            var answers = requests.stream()
                    .map(request -> clients.submit(() -> {
                        start.countDown();
                        start.await(MAX_SECONDS, TimeUnit.SECONDS);
                        return request.call();
                    }))
                    .toList();
            var results = new ArrayList<Answer>();
            for (var answer : answers) {
                results.add(answer.get(MAX_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        }
    }
}
