package dev.okr.console;

import io.quarkus.oidc.OIDCException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jose4j.jwt.consumer.ErrorCodeValidator;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * Describes for the log why a sign-in failed, in one short line. The messages of many exceptions contain what the client
 * sent, or the ID token.
 */
final class SignInFailure {
    private static final int MAX_LENGTH = 300;
    private static final int MAX_CAUSES = 8;

    /** RFC 6749, section 5.2. Providers may repeat the client's parameters in the description. */
    private static final Pattern ERROR = Pattern.compile("\"error\"\\s*:\\s*\"([a-z_]{1,50})\"");

    /** The library for tokens shows a token after its header. */
    private static final Pattern TOKEN = Pattern.compile("JsonWeb(Signature|Encryption)\\{.*", Pattern.DOTALL);

    private SignInFailure() {}

    static String reason(Throwable rejected) {
        var text = Stream.iterate(rejected, each -> each != null, Throwable::getCause)
                .limit(MAX_CAUSES)
                .map(SignInFailure::describe)
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElseGet(() -> message(rejected));
        return text.substring(0, Math.min(text.length(), MAX_LENGTH));
    }

    /** Empty for other exceptions. */
    private static String describe(Throwable cause) {
        return switch (cause) {
            case InvalidJwtException invalid ->
                invalid.getErrorDetails().stream()
                        .map(ErrorCodeValidator.Error::getErrorMessage)
                        .map(message -> TOKEN.matcher(message).replaceAll("…"))
                        .collect(Collectors.joining(" ", "The ID token is not valid. ", ""));
            case JoseException undecryptable -> "The cookie of the sign-in cannot be decrypted.";
            case OIDCException refused -> "The provider refused the request for tokens" + error(refused.getMessage());
            default -> "";
        };
    }

    private static String error(@Nullable String response) {
        var error = ERROR.matcher(String.valueOf(response));
        return error.find() ? ": " + error.group(1) : ".";
    }

    /** The framework's own messages are constant. */
    private static String message(Throwable rejected) {
        var cause = rejected.getCause();
        return cause == null
                ? String.valueOf(rejected.getMessage())
                : cause.getClass().getSimpleName();
    }
}
