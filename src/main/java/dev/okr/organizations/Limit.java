package dev.okr.organizations;

import dev.okr.platform.errors.Failure;
import java.util.Locale;
import org.eclipse.microprofile.config.ConfigProvider;

/**
 * The limits of an organisation. Their values are the properties {@code okr.limits.…}. Existing objects above a limit
 * can still be read, changed and deleted.
 */
public enum Limit {
    WEBHOOKS,
    API_KEYS_PER_USER,
    KEY_RESULTS_PER_OBJECTIVE,
    CHECK_INS_PER_KEY_RESULT,
    /** As parent, and again as child. */
    ALIGNMENTS_PER_OBJECTIVE,
    /** The number of objectives in a chain of alignments. */
    ALIGNMENT_DEPTH,
    /** The same for alignments that contribute. */
    CONTRIBUTION_DEPTH,
    CONTRIBUTING_CHILDREN,
    /** The number of alignments above an objective that contribute. A check-in can change all their parents. */
    CONTRIBUTIONS_ABOVE,
    OBJECTIVES_PER_CYCLE,
    CYCLES,
    TEAMS,
    USERS;

    private static final String PREFIX = "okr.limits.";

    /** 0 until the first use. It must not be read earlier, because a native image would keep the value of its build. */
    private volatile int value;

    /** The configured value. */
    public int value() {
        if (value == 0) {
            value = ConfigProvider.getConfig().getValue(PREFIX + key(), Integer.class);
        }
        return value;
    }

    /**
     * Checks that one more can be added.
     *
     * @throws Failure if there are as many as the limit allows
     */
    public void requireRoom(long existing) {
        if (existing >= value()) {
            throw reached();
        }
    }

    public Failure reached() {
        return Failure.limitReached(key(), value());
    }

    private String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
