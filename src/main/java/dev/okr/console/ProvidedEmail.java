package dev.okr.console;

import io.quarkus.oidc.UserInfo;
import jakarta.json.JsonString;
import java.util.Optional;
import org.eclipse.microprofile.jwt.JsonWebToken;
import org.jspecify.annotations.Nullable;

/**
 * The email address of a person as the provider gives it. A provider may say it in the ID token or only at its UserInfo
 * endpoint (OpenID Connect Core 1.0, section 5.4).
 *
 * @param verified whether the provider has made sure that the address is the person's
 */
record ProvidedEmail(String address, boolean verified) {
    private static final String SUBJECT = "sub";
    private static final String EMAIL = "email";
    private static final String EMAIL_VERIFIED = "email_verified";

    /**
     * Takes address and verification from the same place, so that neither vouches for another's: from the ID token where
     * it says both, else from UserInfo.
     *
     * @param userInfo null where the provider was not asked
     */
    static Optional<ProvidedEmail> of(JsonWebToken token, @Nullable UserInfo userInfo) {
        var inToken = read(token.<Object>getClaim(EMAIL), token.<Object>getClaim(EMAIL_VERIFIED));
        boolean complete = inToken.isPresent() && token.containsClaim(EMAIL_VERIFIED);
        return complete || userInfo == null
                ? inToken
                : inUserInfo(userInfo, token.getSubject()).or(() -> inToken);
    }

    /** UserInfo of another subject is somebody else's (section 5.3.2). */
    private static Optional<ProvidedEmail> inUserInfo(UserInfo userInfo, @Nullable String subject) {
        return text(userInfo.get(SUBJECT)).filter(same -> same.equals(subject)).isPresent()
                ? read(userInfo.get(EMAIL), userInfo.get(EMAIL_VERIFIED))
                : Optional.empty();
    }

    /** Some providers write as text whether an address is verified. */
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
