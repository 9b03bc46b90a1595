package dev.okr.access.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Simulates {@link Turns} in virtual time. Some organisations run heavy requests all the time, and one sends short reads.
 * Prints how long the reads wait for their turns. The duration of a request does not depend on the others that run. So
 * the simulation shows only the effect of the rules, and not that of a busy processor.
 */
public final class TurnsSimulation {
    /** The turns of the default connection pool. */
    private static final int TURNS = 7;

    private static final long SEED = 7;
    private static final Duration TIME = Duration.ofMinutes(2);
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);
    private static final Duration BETWEEN_EXPIRIES = Duration.ofMillis(500);

    /** Earlier reads are not measured, because the loads and the mean times are not stable yet. */
    private static final Duration WARM_UP = Duration.ofSeconds(20);

    /** Each read that is sent before this time gets its turn or fails before the end. */
    private static final Duration MEASURED_UNTIL = TIME.minus(MAX_WAIT).minus(BETWEEN_EXPIRIES);

    private static final Duration BETWEEN_READS = Duration.ofMillis(20);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(50);
    private static final String VICTIM = "victim";
    private static final int OPERATIONS = 12;
    private static final int ONE_OF_IS_LONG = 12;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::nanos).thenComparingLong(Event::number));
    private final Random random = new Random(SEED);

    /** So the reads are the same for all rules. */
    private final Random readRandom = new Random(SEED);

    private final Turns<String> turns;
    private final List<Double> waitMillis = new ArrayList<>();
    private int failures;
    private int othersEnded;
    private long nowNanos = 1;
    private long number;

    private record Event(long nanos, long number, Runnable action) {}

    private TurnsSimulation() {
        this.turns = new Turns<>(TURNS, () -> nowNanos);
    }

    public static void main(String[] arguments) {
        System.out.println(
                "| mean time of a read | other organisations | their requests/s | median wait of a read | p99 | failed |");
        System.out.println("|---|---|---|---|---|---|");
        for (int readMillis : new int[] {5, 10, 20, 40}) {
            for (int others = 1; others <= 5; others++) {
                new TurnsSimulation().run(readMillis, others);
            }
        }
    }

    private void run(int readMillis, int others) {
        for (int i = 0; i < others; i++) {
            var organization = "other " + i;
            repeat(10, () -> sendUnknown(organization));
            repeat(18, () -> sendSlow(organization));
            repeat(1, () -> sendVerySlow(organization));
        }
        every(BETWEEN_READS, () -> {
            double millis = -readMillis * Math.log(1 - readRandom.nextDouble());
            send(VICTIM, "read " + readRandom.nextInt(4), false, millis, null);
        });
        every(BETWEEN_EXPIRIES, () -> turns.expire(MAX_WAIT));
        for (var next = events.poll(); next.nanos < TIME.toNanos(); next = events.poll()) {
            nowNanos = next.nanos;
            next.action.run();
        }
        Collections.sort(waitMillis);
        System.out.printf(
                "| %d ms | %d | %.1f | %.0f ms | %.0f ms | %d of %d |%n",
                readMillis,
                others,
                othersEnded / (double) TIME.toSeconds(),
                part(0.5),
                part(0.99),
                failures,
                waitMillis.size());
    }

    private double part(double part) {
        return waitMillis.get((int) (waitMillis.size() * part));
    }

    /** A client of requests that are not marked as slow. On average, one of twelve takes about 1.5 s. */
    private void sendUnknown(String organization) {
        double millis = random.nextInt(ONE_OF_IS_LONG) == 0 ? around(1_500, 0.4) : around(120, 0.9);
        send(organization, "change " + random.nextInt(OPERATIONS), false, millis, () -> sendUnknown(organization));
    }

    private void sendSlow(String organization) {
        double millis = around(700, 0.7);
        send(organization, "search " + random.nextInt(OPERATIONS), true, millis, () -> sendSlow(organization));
    }

    private void sendVerySlow(String organization) {
        send(organization, "carry over", true, around(6_000, 0.3), () -> sendVerySlow(organization));
    }

    /** A value of a log-normal distribution. */
    private double around(double median, double deviation) {
        return median * Math.exp(deviation * random.nextGaussian());
    }

    /** @param then runs after the request has ended; null for a read of the victim */
    private void send(String organization, String operation, boolean isSlow, double millis, @Nullable Runnable then) {
        long sentNanos = nowNanos;
        CompletableFuture<Void> turn = turns.begin(organization, operation, isSlow);
        turn.whenComplete((begun, failure) -> {
            boolean isMeasured =
                    then == null && sentNanos >= WARM_UP.toNanos() && sentNanos < MEASURED_UNTIL.toNanos();
            if (isMeasured) {
                waitMillis.add((nowNanos - sentNanos) / 1e6);
                failures += failure == null ? 0 : 1;
            }
            after(failure == null ? Duration.ofNanos((long) (millis * 1e6)) : Duration.ZERO, () -> {
                turns.end(organization, turn);
                if (then != null) {
                    othersEnded += failure == null ? 1 : 0;
                    after(failure == null ? Duration.ofMillis(1) : PAUSE_AFTER_FAILURE, then);
                }
            });
        });
    }

    private void repeat(int clients, Runnable client) {
        for (int i = 0; i < clients; i++) {
            after(Duration.ofMillis(i), client);
        }
    }

    private void every(Duration period, Runnable action) {
        for (var at = Duration.ZERO; at.compareTo(TIME) < 0; at = at.plus(period)) {
            after(at, action);
        }
    }

    private void after(Duration delay, Runnable action) {
        events.add(new Event(nowNanos + delay.toNanos(), number++, action));
    }
}
