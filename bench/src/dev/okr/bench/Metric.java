package dev.okr.bench;

/**
 * What a key result measures and how far it has come, in ten-thousandths.
 *
 * @param values of its check-ins, oldest first
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
                // One in two has to come down.
                long low = choose(random, 1, 40) * ONE;
                long high = (60 + choose(random, 2, 41)) * ONE;
                start = random < 0 ? high : low;
                target = random < 0 ? low : high;
            }
            case "currency" -> target = (1_000 + choose(random, 2, 900) * 500L) * ONE;
            default -> {
                // Done or not.
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

    /** From 0 to 1, half of the last digit rounded up. */
    long progress() {
        long whole = Math.abs(target - start);
        long done = (target > start ? 1 : -1) * (current() - start);
        return Math.clamp((2 * ONE * done + whole) / (2 * whole), 0, ONE);
    }

    /** Of an objective: the mean of its key results'. */
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
