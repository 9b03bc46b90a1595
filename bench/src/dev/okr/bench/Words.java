package dev.okr.bench;

/** Realistic titles, descriptions and notes, selected by a number. */
final class Words {
    private static final String[] VERBS = {
        "Shorten", "Improve", "Simplify", "Double", "Stabilise", "Automate", "Rework", "Strengthen", "Speed up", "Launch"
    };
    private static final String[] THINGS = {
        "the onboarding", "our support", "the release process", "the billing", "the mobile app", "the partner programme",
        "the data platform", "our hiring", "the sign-up funnel", "the product search", "the reporting", "our pricing"
    };
    private static final String[] WHOM = {
        "of mid-sized customers", "for large accounts", "in the north", "for new users", "across all teams",
        "in the second half", "of our partners", "for returning buyers", "in every region", "before the summer"
    };
    private static final String[] SENTENCES = {
        "They stay when the first week goes well and nobody has to ask twice. ",
        "What we learned last quarter shows that small steps are enough here. ",
        "Support and product work on it together, and each month we look at it. ",
        "The numbers come from the warehouse and are checked by hand once. ",
        "If it takes longer, we say so early and cut what matters least. "
    };

    private Words() {}

    static String title(long random) {
        return pick(VERBS, random, 0) + ' ' + pick(THINGS, random, 1) + ' ' + pick(WHOM, random, 2);
    }

    static String description(long random) {
        return (pick(SENTENCES, random, 3) + pick(SENTENCES, random, 4)).strip();
    }

    static String note(long random) {
        return "Now at work: " + pick(THINGS, random, 5);
    }

    private static String pick(String[] words, long random, int which) {
        return words[(int) ((random >>> (8 * which)) & 0xFF) % words.length];
    }
}
