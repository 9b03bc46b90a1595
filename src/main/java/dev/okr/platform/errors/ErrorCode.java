package dev.okr.platform.errors;

import java.util.Locale;

/**
 * The kinds of failure. The lower-case name is the public, stable code. Each kind has an HTTP status, a title and a
 * default detail.
 */
public enum ErrorCode {
    MALFORMED_REQUEST(400, "The request is malformed", "The request cannot be read."),
    UNAUTHENTICATED(
            401,
            "The request has no valid API key",
            "Send a valid API key in the Authorization header, with the Bearer scheme."),
    PLAN_REQUIRED(403, "The organisation's plan does not include API access", "API access requires the Business plan."),
    INSUFFICIENT_SCOPE(403, "The API key lacks a scope", "The API key lacks the scope of this operation."),
    FORBIDDEN(403, "The user's role does not allow this", "The user's role does not allow this operation."),
    NOT_FOUND(404, "The resource does not exist", "No resource has this path."),
    METHOD_NOT_ALLOWED(
            405,
            "The resource does not support this method",
            "The Allow header lists the methods that this resource supports."),
    NOT_ACCEPTABLE(406, "The requested media type is not available", "This resource is only sent as application/json."),
    REQUEST_TIMEOUT(408, "The request did not arrive in time", "The body of the request did not arrive in time."),
    CONFLICT(
            409,
            "The request conflicts with the current state",
            "Other requests are changing the same resources. Try again."),
    CYCLE_CLOSED(409, "The cycle is closed", "The cycle is closed. An admin can reopen it."),
    LAST_ADMIN(409, "The organisation needs an active admin", "The organisation needs another active admin first."),
    IDEMPOTENCY_IN_FLIGHT(
            409,
            "A request with this idempotency key is being processed",
            "A request with this idempotency key is being processed. Try again shortly."),
    CURSOR_EXPIRED(
            410,
            "The cursor has expired",
            "Events after this cursor may be deleted. Export the data again, then continue with a new cursor."),
    PRECONDITION_FAILED(
            412,
            "The resource has changed",
            "The resource has changed since it was read. Read it again and repeat the change."),
    BODY_TOO_LARGE(413, "The request body is too large", "A request body may have at most 1 MiB."),
    URI_TOO_LONG(414, "The request URI is too long", "The first line of the request is too long."),
    UNSUPPORTED_MEDIA_TYPE(415, "The request body's media type is not supported", "Send the body as application/json."),
    IDEMPOTENCY_MISMATCH(
            422,
            "The idempotency key was used with another body",
            "This idempotency key was used with another body. Use a new key for a new request."),
    VALIDATION_FAILED(422, "Some fields are not valid", "Some fields are not valid."),
    LIMIT_REACHED(422, "A limit of the organisation is reached", "The organisation cannot have more of this."),
    RATE_LIMITED(429, "Too many requests", "Too many requests were sent. Try again later."),
    HEADERS_TOO_LARGE(431, "The request headers are too large", "The header fields of the request are too large."),
    INTERNAL_ERROR(
            500, "The service failed", "An unexpected error occurred. The service has logged it under the request id."),
    UNAVAILABLE(
            503,
            "The service is not available right now",
            "The service is not available right now. Try again shortly.");

    private final int status;
    private final String title;
    private final String detail;

    ErrorCode(int status, String title, String detail) {
        this.status = status;
        this.title = title;
        this.detail = detail;
    }

    /** The kind of failure for a status, if nothing else is known. */
    public static ErrorCode ofStatus(int status) {
        return switch (status) {
            case 401 -> UNAUTHENTICATED;
            case 403 -> FORBIDDEN;
            case 404 -> NOT_FOUND;
            case 405 -> METHOD_NOT_ALLOWED;
            case 406 -> NOT_ACCEPTABLE;
            case 408 -> REQUEST_TIMEOUT;
            case 409 -> CONFLICT;
            case 412 -> PRECONDITION_FAILED;
            case 413 -> BODY_TOO_LARGE;
            case 414 -> URI_TOO_LONG;
            case 415 -> UNSUPPORTED_MEDIA_TYPE;
            case 429 -> RATE_LIMITED;
            case 431 -> HEADERS_TOO_LARGE;
            case 503 -> UNAVAILABLE;
            default -> status >= 500 ? INTERNAL_ERROR : MALFORMED_REQUEST;
        };
    }

    /** The HTTP status of the response. */
    public int status() {
        return status;
    }

    /** The constant summary of the problem. */
    public String title() {
        return title;
    }

    public String detail() {
        return detail;
    }

    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
