package dev.okr.settings;

import dev.okr.encryption.DerivedKey;
import dev.okr.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The tokens that prove that a form came from a page of the console and was shown to whoever sends it. A token is the
 * second it ends at and a code over that and the person: no cookie goes with it that somebody could plant, and any
 * replica can check it.
 */
@ApplicationScoped
class FormTokens {
    /** Long enough for a form that is left open over a working day. */
    static final Duration VALIDITY = Duration.ofHours(12);

    private static final String PURPOSE = "okr console forms";

    private final String encryptionKey;
    private final UtcClock clock;

    FormTokens(@ConfigProperty(name = "okr.encryption-key") String encryptionKey, UtcClock clock) {
        this.encryptionKey = encryptionKey;
        this.clock = clock;
    }

    String make(String subject) {
        return make(subject, clock.now().plus(VALIDITY).getEpochSecond());
    }

    boolean isValid(String token, String subject) {
        int dot = token.indexOf('.');
        try {
            long end = dot < 0 ? 0 : Long.parseLong(token, 0, dot, 10);
            return !subject.isEmpty()
                    && clock.now().isBefore(Instant.ofEpochSecond(end))
                    && MessageDigest.isEqual(bytes(token), bytes(make(subject, end)));
        } catch (RuntimeException notAToken) {
            return false;
        }
    }

    private String make(String subject, long end) {
        var code = DerivedKey.code(encryptionKey, PURPOSE, end + " " + subject);
        return end + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
