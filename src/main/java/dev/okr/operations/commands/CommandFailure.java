package dev.okr.operations.commands;

import dev.okr.operations.database.OperatorMessage;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.transactions.SqlFailures;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A command failed. Its message is the one line that the operator reads. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_CAUSES = 32;

    CommandFailure(String message) {
        super(message, null, false, false);
    }

    /** The reason why a command failed, in one line. */
    static String reason(Throwable failure) {
        var expected = expected(failure);
        if (expected != null) {
            return expected;
        }
        var message = OperatorMessage.of(failure);
        return message == null ? "Failed: " + SqlFailures.reason(failure) : oneLine(message);
    }

    private static String oneLine(String message) {
        return message.lines().map(String::strip).collect(Collectors.joining(" "));
    }

    private static @Nullable String expected(Throwable failure) {
        Throwable cause = failure;
        for (int causes = 0; causes < MAX_CAUSES && cause != null; causes++) {
            if (cause instanceof CommandFailure refusal) {
                return refusal.getMessage();
            }
            if (cause instanceof Failure rule) {
                return rule.detail();
            }
            cause = cause.getCause();
        }
        return null;
    }
}
