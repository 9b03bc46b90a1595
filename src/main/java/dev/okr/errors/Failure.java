package dev.okr.errors;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An expected failure, in words for the caller. It carries no stack trace: nobody debugs a 404. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String detail;
    private final transient List<FieldError> errors;
    private final transient @Nullable Duration retryAfter;

    private Failure(ErrorCode code, String detail, List<FieldError> errors, @Nullable Duration retryAfter) {
        super(code.code() + ": " + detail, null, false, false);
        this.code = code;
        this.detail = detail;
        this.errors = List.copyOf(errors);
        this.retryAfter = retryAfter;
    }

    public static Failure of(ErrorCode code, String detail) {
        return new Failure(code, detail, List.of(), null);
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

    public static Failure conflict(String detail) {
        return of(ErrorCode.CONFLICT, detail);
    }

    /** @param errors every wrong field of the request, at least one */
    public static Failure validation(List<FieldError> errors) {
        var fields = errors.size() == 1 ? "1 field is not valid." : errors.size() + " fields are not valid.";
        return new Failure(ErrorCode.VALIDATION_FAILED, fields, errors, null);
    }

    public static Failure unavailable(String detail, Duration retryAfter) {
        return new Failure(ErrorCode.UNAVAILABLE, detail, List.of(), retryAfter);
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

    public @Nullable Duration retryAfter() {
        return retryAfter;
    }
}
