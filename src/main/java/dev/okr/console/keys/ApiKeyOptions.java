package dev.okr.console.keys;

import dev.okr.access.Scope;
import dev.okr.console.Option;
import dev.okr.platform.http.EnumNames;
import io.quarkus.qute.TemplateExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options in the forms for API keys. Templates use the namespace {@code apikeys:}. */
@TemplateExtension(namespace = "apikeys")
public final class ApiKeyOptions {
    private ApiKeyOptions() {}

    public static List<Option> scopes() {
        return Arrays.stream(Scope.values())
                .map(scope -> new Option(EnumNames.format(scope), EnumNames.format(scope), hint(scope)))
                .toList();
    }

    public static List<Option> expiries() {
        return Arrays.stream(Expiry.values())
                .map(each -> new Option(EnumNames.format(each), each.label(), ""))
                .toList();
    }

    public static List<Option> overlaps() {
        return Arrays.stream(Overlap.values())
                .map(each -> new Option(EnumNames.format(each), each.label(), ""))
                .toList();
    }

    private static String hint(Scope scope) {
        return switch (scope) {
            case READ -> "Read everything except webhooks and events";
            case WRITE -> "Create, change and delete everything except webhooks";
            case WEBHOOKS -> "Manage webhooks, and read events";
        };
    }

    /** The choices for the validity of a new API key. */
    public enum Expiry {
        DAYS_30("30 days", Duration.ofDays(30)),
        DAYS_90("90 days", Duration.ofDays(90)),
        DAYS_365("1 year", Duration.ofDays(365)),
        NEVER("Until it is revoked", null);

        private final String label;
        private final @Nullable Duration validity;

        Expiry(String label, @Nullable Duration validity) {
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

    /** The choices for how long a rotated API key stays valid. */
    public enum Overlap {
        NONE("0 seconds", Duration.ZERO),
        HOUR("1 hour", Duration.ofHours(1)),
        DAY("1 day", Duration.ofDays(1)),
        WEEK("7 days", Duration.ofDays(7));

        private final String label;
        private final Duration duration;

        Overlap(String label, Duration duration) {
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
}
