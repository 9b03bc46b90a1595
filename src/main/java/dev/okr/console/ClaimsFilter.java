package dev.okr.console;

import io.quarkus.logging.LoggingFilter;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;
import org.jboss.logmanager.ExtLogRecord;
import org.jspecify.annotations.Nullable;

/**
 * Removes the claims of ID tokens from the log. The framework logs all of them if a token is not valid, in several of
 * its classes.
 */
@LoggingFilter(name = "claims")
public final class ClaimsFilter implements Filter {
    private static final String OPENID_CONNECT = "io.quarkus.oidc";

    private static final String FRAMEWORK = "io.quarkus.";
    private static final int MAX_CAUSES = 8;

    /** The text of an exception of the library for tokens. */
    private static final Pattern CLAIMS = Pattern.compile("claims->\\{.*}", Pattern.DOTALL);

    private static final Pattern ANY_VALUES =
            Pattern.compile("\\{\"?[\\w-]+\"?[=:].*}|" + CLAIMS.pattern(), Pattern.DOTALL);

    @Override
    public boolean isLoggable(LogRecord record) {
        var name = String.valueOf(record.getLoggerName());
        var secret = name.startsWith(OPENID_CONNECT) ? ANY_VALUES : CLAIMS;
        // Formatting the messages of all loggers would cost time for each request.
        if (name.startsWith(FRAMEWORK)) {
            var message = ExtLogRecord.wrap(record).getFormattedMessage();
            var cleaned = secret.matcher(message).replaceAll("{…}");
            if (!cleaned.equals(message)) {
                record.setMessage(cleaned);
                record.setParameters(null);
            }
        }
        if (contains(secret, record.getThrown())) {
            record.setThrown(null);
        }
        return true;
    }

    /** Looks at the causes too, because a log shows all of them. */
    private static boolean contains(Pattern secret, @Nullable Throwable thrown) {
        var each = thrown;
        for (int causes = 0; each != null && causes < MAX_CAUSES; causes++) {
            if (secret.matcher(each.toString()).find()) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
