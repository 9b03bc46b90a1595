package dev.okr.bench;

/**
 * One request of a steady load, and its outcome.
 *
 * @param number the number of the request, which is also the note and value of a check-in
 * @param keyResult the key result of a check-in; empty for a read
 * @param plannedNanos when the request was due
 * @param status 0 if there was no response
 * @param text the id of the created resource, or the response after a failure
 */
record Call(
        int number, String keyResult, long plannedNanos, long sentNanos, long endedNanos, int status, String text) {

    /** Part of a 503 body, from the service or from the proxy if it reaches no replica. */
    private static final String UNAVAILABLE = "\"code\":\"unavailable\"";

    boolean isCheckIn() {
        return !keyResult.isEmpty();
    }

    boolean isFailed() {
        return status != (isCheckIn() ? 201 : 200);
    }

    boolean isUnavailable() {
        return status == 503 && text.contains(UNAVAILABLE);
    }

    boolean isUnderWay(long fromNanos, long toNanos) {
        return sentNanos <= toNanos && endedNanos >= fromNanos;
    }

    /** The time since the request was due, so that waiting for earlier requests counts. */
    double millis() {
        return (endedNanos - plannedNanos) / 1e6;
    }
}
