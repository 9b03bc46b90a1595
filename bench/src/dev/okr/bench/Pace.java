package dev.okr.bench;

/**
 * The durations of the measurements.
 *
 * @param seconds the duration of each measurement
 * @param repetitions how often each measurement is made; the result is the median
 * @param warmUp the seconds of the warm-up
 * @param starts how often the service is started
 * @param details whether to print the details of the measurements
 */
record Pace(int seconds, int repetitions, int warmUp, int starts, boolean details) {
    static Pace full(boolean details) {
        return new Pace(5, 3, 120, 5, details);
    }

    static Pace quick(boolean details) {
        return new Pace(2, 1, 6, 1, details);
    }
}
