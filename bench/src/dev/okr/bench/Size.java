package dev.okr.bench;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The amount of data.
 *
 * @param firstObjectives the number of objectives of the first organisation
 * @param firstCycles the number of cycles with these objectives
 * @param otherOrganizations the number of other organisations
 * @param otherObjectives the number of objectives of each other organisation
 * @param otherCycles the number of cycles with those objectives
 */
record Size(
        String name,
        int firstObjectives,
        int firstCycles,
        int otherOrganizations,
        int otherObjectives,
        int otherCycles) {

    /** The other organisations are small. They exist for concurrent check-ins. */
    static final Size S = new Size("S", 10_000, 4, 32, 10, 1);

    static final Size TINY = new Size("tiny", 1_000, 4, 32, 10, 1);

    private static final Pattern FRACTION = Pattern.compile("0?\\.[0-9]+");
    private static final int L_ORGANIZATIONS = 1_000;
    private static final int L_OBJECTIVES = 10_000_000;
    private static final int L_FIRST_OBJECTIVES = 100_000;

    /** Below this fraction there are too few organisations for concurrent check-ins. */
    private static final double MIN_FRACTION = 0.001;

    private static final int MIN_ORGANIZATIONS = 33;

    /** 1,000 organisations with 10,000,000 objectives, or a fraction of both. The first has 100,000 in one cycle. */
    static Size large(double fraction) {
        int organizations = Math.max(MIN_ORGANIZATIONS, (int) Math.round(L_ORGANIZATIONS * fraction));
        int objectives = (int) Math.round(L_OBJECTIVES * fraction);
        // The large organisation keeps its size if enough objectives remain for the others.
        int first = Math.min(L_FIRST_OBJECTIVES, objectives / 2);
        var name = fraction == 1 ? "L" : String.format(Locale.ROOT, "L x %s", fraction);
        return new Size(name, first, 1, organizations - 1, (objectives - first) / (organizations - 1), 4);
    }

    /** Parses {@code L} or a fraction of it. */
    static Size parse(String text) {
        if (text.equals("S")) {
            return S;
        }
        double fraction = text.equals("L") ? 1 : FRACTION.matcher(text).matches() ? Double.parseDouble(text) : 0;
        if (fraction < MIN_FRACTION) {
            throw new IllegalArgumentException("--size must be S, L or a fraction of L of at least " + MIN_FRACTION);
        }
        return large(fraction);
    }

    int organizations() {
        return 1 + otherOrganizations;
    }

    int objectives(int organization) {
        return organization == 0 ? firstObjectives : otherObjectives;
    }

    int cycles(int organization) {
        return organization == 0 ? firstCycles : otherCycles;
    }

    long allObjectives() {
        return firstObjectives + (long) otherOrganizations * otherObjectives;
    }

    long keyResults() {
        return allObjectives() * Tenant.KEY_RESULTS_PER_OBJECTIVE;
    }

    long checkIns() {
        return allObjectives() * Tenant.CHECK_INS_PER_OBJECTIVE;
    }

    String describe() {
        return Report.format(
                "%s: %,d organisations, %,d objectives, %,d key results, %,d check-ins",
                name, organizations(), allObjectives(), keyResults(), checkIns());
    }

    /** An estimate, from measured sizes per row with indexes, plus space for the WAL and sorting. */
    long diskBytes() {
        return (long) (1.2 * (allObjectives() * 650L + keyResults() * 400L + checkIns() * 330L)) + 2_000_000_000L;
    }
}
