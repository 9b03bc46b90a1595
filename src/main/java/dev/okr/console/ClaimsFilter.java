package dev.okr.console;

import io.quarkus.logging.LoggingFilter;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.regex.Pattern;
import org.jboss.logmanager.ExtLogRecord;
import org.jspecify.annotations.Nullable;

/** Removes the claims of ID tokens from the log. The framework logs all of them if a token is not valid. */
@LoggingFilter(name = "claims")
public final class ClaimsFilter implements Filter {
    private static final String FRAMEWORK = "io.quarkus.oidc";
    private static final int MAX_CAUSES = 8;
    private static final Pattern CLAIMS = Pattern.compile("\\{\"?[\\w-]+\"?[=:].*}|claims->\\{.*}", Pattern.DOTALL);

    @Override
    public boolean isLoggable(LogRecord record) {
        var name = record.getLoggerName();
        if (name != null && name.startsWith(FRAMEWORK)) {
            var message = ExtLogRecord.wrap(record).getFormattedMessage();
            var cleaned = CLAIMS.matcher(message).replaceAll("{…}");
            if (!cleaned.equals(message)) {
                record.setMessage(cleaned);
                record.setParameters(null);
            }
            if (hasClaims(record.getThrown())) {
                record.setThrown(null);
            }
        }
        return true;
    }

    /** Looks at the causes too, because a log shows all of them. */
    private static boolean hasClaims(@Nullable Throwable thrown) {
        var each = thrown;
        for (int causes = 0; each != null && causes < MAX_CAUSES; causes++) {
            if (CLAIMS.matcher(each.toString()).find()) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
