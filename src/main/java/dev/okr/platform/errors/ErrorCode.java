package dev.okr.platform.errors;

import java.util.Locale;

/** All kinds of failure. The lower-case name is the public, stable code. */
public enum ErrorCode {
    MALFORMED_REQUEST("The request is malformed"),
    UNAUTHENTICATED("The request carries no valid API key"),
    PLAN_REQUIRED("The organisation's plan does not include API access"),
    INSUFFICIENT_SCOPE("The API key lacks a scope"),
    FORBIDDEN("The user may not do this"),
    NOT_FOUND("The resource does not exist"),
    METHOD_NOT_ALLOWED("The resource does not support this method"),
    NOT_ACCEPTABLE("The response cannot take the requested form"),
    REQUEST_TIMEOUT("The request did not arrive in time"),
    CONFLICT("The request conflicts with the current state"),
    IDEMPOTENCY_IN_FLIGHT("A request with this idempotency key is being processed"),
    PRECONDITION_FAILED("The resource has changed"),
    BODY_TOO_LARGE("The request body is too large"),
    UNSUPPORTED_MEDIA_TYPE("The request body's media type is not supported"),
    IDEMPOTENCY_MISMATCH("The idempotency key was used with another body"),
    VALIDATION_FAILED("Some fields are not valid"),
    RATE_LIMITED("Too many requests"),
    INTERNAL_ERROR("The service failed"),
    UNAVAILABLE("The service is not available right now");

    private final String title;

    ErrorCode(String title) {
        this.title = title;
    }

    /** The constant summary of the problem. */
    public String title() {
        return title;
    }

    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }
}
