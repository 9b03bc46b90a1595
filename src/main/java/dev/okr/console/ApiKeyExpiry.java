package dev.okr.console;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The choices for the validity of a new API key. */
public enum ApiKeyExpiry {
    DAYS_30("30 days", Duration.ofDays(30)),
    DAYS_90("90 days", Duration.ofDays(90)),
    DAYS_365("1 year", Duration.ofDays(365)),
    NEVER("Until it is revoked", null);

    private final String label;
    private final @Nullable Duration validity;

    ApiKeyExpiry(String label, @Nullable Duration validity) {
        this.label = label;
        this.validity = validity;
    }

    public String label() {
        return label;
    }

    @Nullable
    Instant from(Instant now) {
        return validity == null ? null : now.plus(validity);
    }
}
