package dev.okr.bench;

/**
 * One request of a steady load, and what came of it.
 *
 * @param number of the request; a check-in shows it in its note and has it as its value
 * @param keyResult of a check-in; empty for a read
 * @param plannedNanos when it was due
 * @param status 0 when there was no answer
 * @param text the id of what was made, or what was answered in the place of success
 */
record Call(
        int number, String keyResult, long plannedNanos, long sentNanos, long endedNanos, int status, String text) {

    /** What the service says of itself, and the proxy of a service that is not there. */
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

    /** Since it was due, so that one that had to wait for those before counts as slow too. */
    double millis() {
        return (endedNanos - plannedNanos) / 1e6;
    }
}
