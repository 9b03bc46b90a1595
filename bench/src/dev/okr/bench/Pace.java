package dev.okr.bench;

/**
 * How long everything takes.
 *
 * @param seconds of each measurement
 * @param repetitions of each, of which the median stands
 * @param warmUpSlice seconds of a slice of the warm-up
 * @param maxWarmUp seconds of all of them
 * @param starts how often the service is started
 * @param details whether to print what the measurements are made of
 */
record Pace(int seconds, int repetitions, int warmUpSlice, int maxWarmUp, int starts, boolean details) {
    static Pace full(boolean details) {
        return new Pace(5, 3, 10, 120, 5, details);
    }

    static Pace quick(boolean details) {
        return new Pace(2, 1, 3, 6, 1, details);
    }
}
