package dev.okr.platform.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.tracing.Traces;
import io.quarkus.runtime.annotations.RegisterForReflection;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of every error: a problem detail (RFC 9457). */
@RegisterForReflection
@Schema(description = "Why a request failed (RFC 9457).")
public record Problem(
        @Schema(
                description = "The kind of problem: the address of a page about it.",
                required = true,
                format = "uri-reference",
                examples = "/problems/validation_failed")
        String type,

        @Schema(
                description = "The kind of problem in a few words.",
                required = true,
                examples = "Some fields are not valid")
        String title,

        @Schema(
                description = "The HTTP status code.",
                required = true,
                minimum = "400",
                maximum = "599",
                format = "int32",
                examples = "422")
        int status,

        @Schema(description = "What went wrong this time.", required = true, examples = "1 field is not valid.")
        String detail,

        @Schema(
                description = "The path of the request.",
                required = true,
                format = "uri-reference",
                examples = "/v1/objectives")
        String instance,

        @Schema(
                description = "The kind of problem, for programs. It never changes.",
                required = true,
                examples = "validation_failed")
        String code,

        @Schema(
                description = "Identifies the request in the logs of the service.",
                required = true,
                examples = "019b8a1f-2c3d-7e4f-8a5b-6c7d8e9f0a1b")
        String requestId,

        @Schema(
                description = "The trace that the request belongs to, in the tracing system of the operator; only where"
                        + " the service has one.",
                examples = "4bf92f3577b34da6a3ce929d0e0e4736")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable
        String traceId,

        @Schema(description = "Every wrong field of the body; only with `validation_failed`.")
        @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<InvalidField> errors) {

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final String TYPE_PREFIX = "/problems/";

    /** One wrong field. */
    @RegisterForReflection
    @Schema(description = "One wrong field of a request body.")
    public record InvalidField(
            @Schema(description = "The field, as a JSON Pointer (RFC 6901).", required = true, examples = "/title")
            String pointer,

            @Schema(description = "What is wrong, for programs.", required = true, examples = "required")
            String code,

            @Schema(description = "What is wrong, for people.", required = true, examples = "This field is required.")
            String detail) {
        static InvalidField of(FieldError error) {
            return new InvalidField(error.pointer(), error.code(), error.detail());
        }
    }

    public static Problem of(Failure failure, String path, String requestId) {
        var errors = failure.errors().stream().map(InvalidField::of).toList();
        return of(failure.code(), failure.detail(), path, requestId, errors);
    }

    static Problem of(ErrorCode code, String detail, String path, String requestId) {
        return of(code, detail, path, requestId, List.of());
    }

    private static Problem of(ErrorCode code, String detail, String path, String requestId, List<InvalidField> errors) {
        return new Problem(
                TYPE_PREFIX + code.code(),
                code.title(),
                status(code),
                detail,
                path,
                code.code(),
                requestId,
                Traces.currentId(),
                errors);
    }

    /** The only place that assigns status codes to failures. */
    public static int status(ErrorCode code) {
        return switch (code) {
            case MALFORMED_REQUEST -> 400;
            case UNAUTHENTICATED -> 401;
            case PLAN_REQUIRED, INSUFFICIENT_SCOPE, FORBIDDEN -> 403;
            case NOT_FOUND -> 404;
            case METHOD_NOT_ALLOWED -> 405;
            case NOT_ACCEPTABLE -> 406;
            case REQUEST_TIMEOUT -> 408;
            case CONFLICT, IDEMPOTENCY_IN_FLIGHT -> 409;
            case PRECONDITION_FAILED -> 412;
            case BODY_TOO_LARGE -> 413;
            case UNSUPPORTED_MEDIA_TYPE -> 415;
            case VALIDATION_FAILED, IDEMPOTENCY_MISMATCH -> 422;
            case RATE_LIMITED -> 429;
            case INTERNAL_ERROR -> 500;
            case UNAVAILABLE -> 503;
        };
    }

    /** The kind of failure for a status that the framework chose. */
    static ErrorCode code(int status) {
        return switch (status) {
            case 401 -> ErrorCode.UNAUTHENTICATED;
            case 403 -> ErrorCode.FORBIDDEN;
            case 404 -> ErrorCode.NOT_FOUND;
            case 405 -> ErrorCode.METHOD_NOT_ALLOWED;
            case 406 -> ErrorCode.NOT_ACCEPTABLE;
            case 409 -> ErrorCode.CONFLICT;
            case 412 -> ErrorCode.PRECONDITION_FAILED;
            case 408 -> ErrorCode.REQUEST_TIMEOUT;
            case 413 -> ErrorCode.BODY_TOO_LARGE;
            case 415 -> ErrorCode.UNSUPPORTED_MEDIA_TYPE;
            case 429 -> ErrorCode.RATE_LIMITED;
            case 503 -> ErrorCode.UNAVAILABLE;
            default -> status >= 500 ? ErrorCode.INTERNAL_ERROR : ErrorCode.MALFORMED_REQUEST;
        };
    }
}
