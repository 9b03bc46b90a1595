package dev.okr.bench;

/**
 * The metric of a key result and its progress, in ten-thousandths.
 *
 * @param values the values of its check-ins, oldest first
 */
record Metric(String type, long start, long target, long[] values) {
    private static final long ONE = 10_000;
    private static final String[] TYPES = {"number", "number", "percentage", "percentage", "currency", "boolean"};

    static Metric of(Tenant tenant, int objective, int nth) {
        long random = tenant.random(
                Tenant.Kind.KEY_RESULT, (long) objective * Tenant.KEY_RESULTS_PER_OBJECTIVE + nth);
        var type = TYPES[choose(random, 0, TYPES.length)];
        long start = 0;
        long target = ONE;
        switch (type) {
            case "number" -> {
                start = choose(random, 1, 20) * ONE;
                target = start + (10 + choose(random, 2, 500)) * ONE;
            }
            case "percentage" -> {
                // About half of these key results have a target below the start.
                long low = choose(random, 1, 40) * ONE;
                long high = (60 + choose(random, 2, 41)) * ONE;
                start = random < 0 ? high : low;
                target = random < 0 ? low : high;
            }
            case "currency" -> target = (1_000 + choose(random, 2, 900) * 500L) * ONE;
            default -> {
                // Done or not done.
            }
        }
        var values = new long[Tenant.checkIns(nth)];
        for (int i = 0; i < values.length; i++) {
            int done = choose(random, 3 + i, 101);
            values[i] = type.equals("boolean")
                    ? (done > 50 ? ONE : 0)
                    // Two decimals.
                    : start + (target - start) / 100 * done / 100 * 100;
        }
        return new Metric(type, start, target, values);
    }

    long current() {
        return values[values.length - 1];
    }

    /** The progress from 0 to 1, with the last digit rounded half up. */
    long progress() {
        long whole = Math.abs(target - start);
        long done = (target > start ? 1 : -1) * (current() - start);
        return Math.clamp((2 * ONE * done + whole) / (2 * whole), 0, ONE);
    }

    /** The progress of an objective, which is the mean of its key results. */
    static long progress(Tenant tenant, int objective) {
        long sum = 0;
        for (int i = 0; i < Tenant.KEY_RESULTS_PER_OBJECTIVE; i++) {
            sum += of(tenant, objective, i).progress();
        }
        return (2 * sum + Tenant.KEY_RESULTS_PER_OBJECTIVE) / (2 * Tenant.KEY_RESULTS_PER_OBJECTIVE);
    }

    private static int choose(long random, int which, int bound) {
        return (int) ((random >>> (8 * which)) & 0xFFFF) % bound;
    }
}
