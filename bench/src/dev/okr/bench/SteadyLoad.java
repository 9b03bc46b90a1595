package dev.okr.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends reads and check-ins at fixed times, independent of earlier responses. It does not retry. Each client keeps its
 * connection until the other side closes it.
 */
final class SteadyLoad implements AutoCloseable {
    static final int CLIENTS = 64;

    /** Sends requests as fast as the responses arrive. */
    static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private final int port;
    private final String token;
    private final Subject subject;
    private final double perSecond;
    private final int checkInEvery;
    private final AtomicInteger numbers;
    private final AtomicInteger turns = new AtomicInteger();
    private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
    private final List<Thread> clients = new ArrayList<>();
    private final long startNanos = System.nanoTime();
    private volatile boolean stopped;

    /**
     * Starts at once.
     *
     * @param checkInEvery the number of requests for each check-in; 0 for reads only
     * @param numbers the last number given to a request
     */
    SteadyLoad(
            int port, String token, Subject subject, int count, double perSecond, int checkInEvery, AtomicInteger numbers) {
        this.port = port;
        this.token = token;
        this.subject = subject;
        this.perSecond = perSecond;
        this.checkInEvery = checkInEvery;
        this.numbers = numbers;
        for (int i = 0; i < count; i++) {
            int client = i % subject.objectives().size();
            clients.add(Thread.ofVirtual().start(() -> run(client)));
        }
    }

    /** The calls that have ended so far. */
    List<Call> calls() {
        return List.copyOf(calls);
    }

    int size() {
        return calls.size();
    }

    /** Waits for the calls in flight. */
    @Override
    public void close() {
        stopped = true;
        try {
            for (var client : clients) {
                client.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private void run(int client) {
        Api api = null;
        while (!stopped) {
            int turn = turns.getAndIncrement();
            long planned = perSecond == UNLIMITED ? System.nanoTime() : startNanos + (long) (turn / perSecond * 1e9);
            Commands.sleep(Math.max(0, (planned - System.nanoTime()) / 1e9));
            if (stopped) {
                break;
            }
            boolean checkIn = checkInEvery > 0 && turn % checkInEvery == 0;
            var keyResult = checkIn ? subject.keyResults().get(client) : "";
            int number = numbers.incrementAndGet();
            long sent = System.nanoTime();
            try {
                api = api == null ? new Api(port, token) : api;
                var answer = checkIn ? checkIn(api, keyResult, number) : api.get(read(client));
                add(number, keyResult, planned, sent, answer);
                api = api.isEnded() ? closed(api) : api;
            } catch (IOException | RuntimeException e) {
                calls.add(new Call(number, keyResult, planned, sent, System.nanoTime(), 0, e.toString()));
                api = closed(api);
            }
        }
        closed(api);
    }

    private String read(int client) {
        return "/v1/objectives/" + subject.objectives().get(client);
    }

    private static Api.Answer checkIn(Api api, String keyResult, int number) throws IOException {
        var body = "{\"value\":%d,\"note\":\"%s%010d\"}".formatted(number, Receiver.MARK, number);
        return api.call("POST", "/v1/key-results/%s/check-ins".formatted(keyResult), body);
    }

    private void add(int number, String keyResult, long planned, long sent, Api.Answer answer) {
        long ended = System.nanoTime();
        var text = answer.status() == 201 ? answer.id() : answer.status() == 200 ? "" : answer.body();
        calls.add(new Call(number, keyResult, planned, sent, ended, answer.status(), text));
    }

    private static Api closed(Api api) {
        try {
            if (api != null) {
                api.close();
            }
        } catch (IOException gone) {
            // The connection is closed in any case.
        }
        return null;
    }
}
