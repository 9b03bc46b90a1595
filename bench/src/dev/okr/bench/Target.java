package dev.okr.bench;

import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * A repeated request: a GET, or a check-in with a new value each time.
 *
 * @param lowest the lowest value of a check-in
 * @param highest the highest value; equals the lowest for a GET
 */
record Target(String path, String token, double lowest, double highest) {
    static Target get(String path, String token) {
        return new Target(path, token, 0, 0);
    }

    static Target checkIn(String keyResult, String token, double start, double target) {
        return new Target("/v1/key-results/%s/check-ins".formatted(keyResult), token, start, target);
    }

    boolean isCheckIn() {
        return lowest != highest;
    }

    String body(RandomGenerator random) {
        double value = lowest + (highest - lowest) * random.nextDouble();
        return String.format(
                Locale.ROOT, "{\"value\":%.2f,\"note\":\"Step %06d done today\"}", value, random.nextInt(1_000_000));
    }
}
