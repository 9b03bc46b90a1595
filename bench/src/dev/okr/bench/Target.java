package dev.okr.bench;

import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * A repeated request: a GET, or check-ins with new values each time.
 *
 * @param lowest the lowest value of a check-in
 * @param highest the highest value; equals the lowest for a GET
 * @param keyResults the key results of a batch of check-ins; empty for other requests
 */
record Target(String path, String token, double lowest, double highest, List<String> keyResults) {
    private static final String CHECK_INS = "/v1/key-results/%s/check-ins";

    static Target get(String path, String token) {
        return new Target(path, token, 0, 0, List.of());
    }

    static Target checkIn(String keyResult, String token, double start, double target) {
        return new Target(CHECK_INS.formatted(keyResult), token, start, target, List.of());
    }

    /** A check-in on the key result of each of these targets. The range of values is that of the first. */
    static Target batch(List<Target> checkIns) {
        var first = checkIns.getFirst();
        var keyResults = checkIns.stream()
                .map(target -> target.path.substring(CHECK_INS.indexOf('%'), target.path.lastIndexOf('/')))
                .toList();
        return new Target("/v1/check-ins/batch", first.token, first.lowest, first.highest, keyResults);
    }

    boolean isCheckIn() {
        return lowest != highest;
    }

    /** The target as the script of the load generator reads it. */
    String script() {
        var ids = keyResults.stream().map(id -> '"' + id + '"').collect(Collectors.joining(", ", "{ ", " }"));
        return Report.format(
                "  { \"%s\", \"%s\", %f, %f, %s },", path, token, lowest, highest, keyResults.isEmpty() ? "nil" : ids);
    }

    String body(RandomGenerator random) {
        double value = lowest + (highest - lowest) * random.nextDouble();
        return String.format(
                Locale.ROOT, "{\"value\":%.2f,\"note\":\"Step %06d done today\"}", value, random.nextInt(1_000_000));
    }
}
