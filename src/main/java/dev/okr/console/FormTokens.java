package dev.okr.console;

import dev.okr.platform.encryption.DerivedKey;
import dev.okr.platform.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
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

    private final Optional<String> encryptionKey;
    private final List<String> previousKeys;
    private final UtcClock clock;

    // Optional, so that who starts the service without a key is told so in words (database.EncryptionKeyCheck).
    FormTokens(
            @ConfigProperty(name = "okr.encryption-key") Optional<String> encryptionKey,
            @ConfigProperty(name = "okr.encryption-keys-previous") Optional<List<String>> previousKeys,
            UtcClock clock) {
        this.encryptionKey = encryptionKey;
        this.previousKeys = previousKeys.orElse(List.of());
        this.clock = clock;
    }

    String make(String subject) {
        return make(
                encryptionKey.orElseThrow(), subject, clock.now().plus(VALIDITY).getEpochSecond());
    }

    boolean isValid(String token, String subject) {
        int dot = token.indexOf('.');
        try {
            long end = dot < 0 ? 0 : Long.parseLong(token, 0, dot, 10);
            return !subject.isEmpty()
                    && clock.now().isBefore(Instant.ofEpochSecond(end))
                    && keys().anyMatch(key -> MessageDigest.isEqual(bytes(token), bytes(make(key, subject, end))));
        } catch (RuntimeException notAToken) {
            return false;
        }
    }

    /** While the replicas change from one key to another, one gets forms that another made. */
    private Stream<String> keys() {
        return Stream.concat(encryptionKey.stream(), previousKeys.stream().filter(key -> !key.isBlank()));
    }

    private static String make(String encryptionKey, String subject, long end) {
        var code = DerivedKey.code(encryptionKey, PURPOSE, end + " " + subject);
        return end + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
