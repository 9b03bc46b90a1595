package dev.okr.console;

import dev.okr.platform.encryption.DerivedKey;
import dev.okr.platform.ids.UuidV7;
import dev.okr.platform.time.UtcClock;
import jakarta.enterprise.context.ApplicationScoped;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * The tokens that protect forms against cross-site requests. A token consists of its expiry and an HMAC of the expiry
 * and the signed-in identity. Any replica can verify it. Quarkus' REST CSRF extension compares the form with a cookie
 * instead. That token is not bound to the identity, and an attacker could set the cookie.
 */
@ApplicationScoped
class FormTokens {
    /** Long enough for a form that stays open during a working day. */
    static final Duration VALIDITY = Duration.ofHours(12);

    private static final String PURPOSE = "okr console forms";
    private static final String PURPOSE_OF_IDS = "okr console ids";

    private final Optional<String> encryptionKey;
    private final List<String> previousKeys;
    private final UtcClock clock;

    // Optional, so that EncryptionKeyCheck can report a missing key.
    FormTokens(
            @ConfigProperty(name = "okr.encryption-key") Optional<String> encryptionKey,
            @ConfigProperty(name = "okr.encryption-keys-previous") Optional<List<String>> previousKeys,
            UtcClock clock) {
        this.encryptionKey = encryptionKey;
        this.previousKeys = previousKeys.orElse(List.of());
        this.clock = clock;
    }

    String create(String subject) {
        return create(
                encryptionKey.orElseThrow(), subject, clock.now().plus(VALIDITY).getEpochSecond());
    }

    boolean isValid(String token, String subject) {
        int dot = token.indexOf('.');
        try {
            long expiry = dot < 0 ? 0 : Long.parseLong(token, 0, dot, 10);
            return !subject.isEmpty()
                    && clock.now().isBefore(Instant.ofEpochSecond(expiry))
                    && keys().anyMatch(key -> MessageDigest.isEqual(bytes(token), bytes(create(key, subject, expiry))));
        } catch (RuntimeException notAToken) {
            return false;
        }
    }

    /**
     * The id of the resource that a form creates. It depends on the organisation, the id in the form, the parent and the
     * encryption key. A client can choose the id in the form, but only the time in the result. So it cannot reuse an id
     * of another organisation. Parts of the service need ids that are unique over all organisations. A form that is sent
     * twice during a key rotation, or during the upgrade to this version, can create two resources.
     */
    UUID createdId(UUID organizationId, UUID idInForm, String parent) {
        var code = DerivedKey.code(
                encryptionKey.orElseThrow(), PURPOSE_OF_IDS, organizationId + " " + idInForm + " " + parent);
        return UuidV7.withTimeOf(idInForm, ByteBuffer.wrap(code).getLong());
    }

    /** During a key rotation, a replica may get forms whose tokens another replica made with another key. */
    private Stream<String> keys() {
        return Stream.concat(encryptionKey.stream(), previousKeys.stream().filter(key -> !key.isBlank()));
    }

    private static String create(String encryptionKey, String subject, long expiry) {
        var code = DerivedKey.code(encryptionKey, PURPOSE, expiry + " " + subject);
        return expiry + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(code);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
