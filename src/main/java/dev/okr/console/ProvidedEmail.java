package dev.okr.console;

import io.quarkus.oidc.UserInfo;
import jakarta.json.JsonString;
import java.util.Optional;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/**
 * The email address of a person according to the provider. Some providers send it only from the UserInfo endpoint, and
 * not in the ID token (OpenID Connect Core 1.0, section 5.4).
 *
 * @param verified whether the provider has verified the address
 */
record ProvidedEmail(String address, boolean verified) {
    private static final String SUBJECT = "sub";
    private static final String EMAIL = "email";
    private static final String EMAIL_VERIFIED = "email_verified";

    /**
     * Takes the address and its verification from one source, so that one source cannot verify the address of another.
     * The source is the ID token if it contains both, otherwise UserInfo.
     *
     * @param userInfo null if UserInfo was not requested
     */
    static Optional<ProvidedEmail> of(JsonWebToken token, @Nullable UserInfo userInfo) {
        var inToken = read(token.<Object>getClaim(EMAIL), token.<Object>getClaim(EMAIL_VERIFIED));
        boolean complete = inToken.isPresent() && token.containsClaim(EMAIL_VERIFIED);
        return complete || userInfo == null
                ? inToken
                : inUserInfo(userInfo, token.getSubject()).or(() -> inToken);
    }

    /** Ignores UserInfo of another subject (section 5.3.2). */
    private static Optional<ProvidedEmail> inUserInfo(UserInfo userInfo, @Nullable String subject) {
        return text(userInfo.get(SUBJECT)).filter(same -> same.equals(subject)).isPresent()
                ? read(userInfo.get(EMAIL), userInfo.get(EMAIL_VERIFIED))
                : Optional.empty();
    }

    /** Some providers send {@code email_verified} as text. */
    private static Optional<ProvidedEmail> read(@Nullable Object email, @Nullable Object verified) {
        boolean isTrue = "true".equals(text(verified).orElseGet(() -> String.valueOf(verified)));
        return text(email).map(address -> new ProvidedEmail(address, isTrue));
    }

    private static Optional<String> text(@Nullable Object value) {
        return switch (value) {
            case String text -> Optional.of(text);
            case JsonString json -> Optional.of(json.getString());
            case null, default -> Optional.empty();
        };
    }
}
