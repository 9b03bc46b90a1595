package dev.okr.console;

import java.time.Duration;

/** The choices for how long a rotated API key stays valid. */
public enum ApiKeyOverlap {
    NONE("It expires at once", Duration.ZERO),
    HOUR("1 hour", Duration.ofHours(1)),
    DAY("1 day", Duration.ofDays(1)),
    WEEK("7 days", Duration.ofDays(7));

    private final String label;
    private final Duration duration;

    ApiKeyOverlap(String label, Duration duration) {
        this.label = label;
        this.duration = duration;
    }

    public String label() {
        return label;
    }

    Duration duration() {
        return duration;
    }
}
