package dev.okr.platform.errors;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expected failure, with a message for the caller. It has no stack trace. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String detail;
    private transient List<FieldError> errors;
    private final transient @Nullable Duration retryAfter;
    private final boolean replayable;

    private Failure(
            ErrorCode code, String detail, List<FieldError> errors, @Nullable Duration retryAfter, boolean replayable) {
        super(code.code() + ": " + detail, null, false, false);
        this.code = code;
        this.detail = detail;
        this.errors = List.copyOf(errors);
        this.retryAfter = retryAfter;
        this.replayable = replayable;
    }

    public static Failure of(ErrorCode code, String detail) {
        return new Failure(code, detail, List.of(), null, true);
    }

    /** A failure with the default detail of its kind. */
    public static Failure of(ErrorCode code) {
        return of(code, code.detail());
    }

    public static Failure malformed(String detail) {
        return of(ErrorCode.MALFORMED_REQUEST, detail);
    }

    /** @param what the singular noun of the resource, such as {@code objective} */
    public static Failure notFound(String what) {
        return of(ErrorCode.NOT_FOUND, "No such " + what + ".");
    }

    public static Failure forbidden(String detail) {
        return of(ErrorCode.FORBIDDEN, detail);
    }

    public static Failure missingScope(String scope) {
        return of(ErrorCode.INSUFFICIENT_SCOPE, "This operation requires a key with the scope %s.".formatted(scope));
    }

    /** @param role the lowest role that is sufficient */
    public static Failure missingRole(String role) {
        return forbidden("This operation requires the role %s.".formatted(role));
    }

    public static Failure conflict(String detail) {
        return of(ErrorCode.CONFLICT, detail);
    }

    /** A temporary conflict, because other requests are changing the same resources. */
    public static Failure busy() {
        return passingConflict(ErrorCode.CONFLICT.detail());
    }

    /** A temporary conflict. The same request may succeed later. */
    public static Failure passingConflict(String detail) {
        return new Failure(ErrorCode.CONFLICT, detail, List.of(), null, false);
    }

    /** @param errors all wrong fields of the request, at least one */
    public static Failure validation(List<FieldError> errors) {
        var fields = errors.size() == 1 ? "1 field is not valid." : errors.size() + " fields are not valid.";
        return new Failure(ErrorCode.VALIDATION_FAILED, fields, errors, null, true);
    }

    /** @param limit the name of the limit, as in the configuration */
    public static Failure limitReached(String limit, int value) {
        return new Failure(
                ErrorCode.LIMIT_REACHED, "The limit %s is %d.".formatted(limit, value), List.of(), null, false);
    }

    public static Failure unavailable(String detail, Duration retryAfter) {
        return new Failure(ErrorCode.UNAVAILABLE, detail, List.of(), retryAfter, false);
    }

    public static Failure rateLimited(String detail, Duration retryAfter) {
        return new Failure(ErrorCode.RATE_LIMITED, detail, List.of(), retryAfter, false);
    }

    public static Failure quotaExhausted(int requestsPerMinute, Duration retryAfter) {
        return rateLimited(
                "An API key may make %d requests per minute. Retry-After says how many seconds to wait."
                        .formatted(requestsPerMinute),
                retryAfter);
    }

    /** @param name who has sent the data */
    public static Failure dataQuotaExhausted(String name, Duration retryAfter) {
        return rateLimited(name + " has written too much data. Retry-After says how many seconds to wait.", retryAfter);
    }

    public ErrorCode code() {
        return code;
    }

    public String detail() {
        return detail;
    }

    public List<FieldError> errors() {
        return errors;
    }

    /** Frees the memory of the errors, which can be a megabyte, after the response has been written. */
    public void forgetErrors() {
        errors = List.of();
    }

    /** Whether a repeated request may get this failure again. False for a temporary failure. */
    public boolean isReplayable() {
        return replayable;
    }

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
