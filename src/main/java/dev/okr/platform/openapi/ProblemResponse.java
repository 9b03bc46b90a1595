package dev.okr.platform.openapi;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.http.Problem;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** The problem responses of operations. */
enum ProblemResponse {
    MALFORMED_REQUEST(
            "`malformed_request`: the body is not one well-formed JSON object, a query parameter is unknown or has "
                    + "a wrong value, or the `Idempotency-Key` is not valid.",
            new ProblemExample(
                    "parameter",
                    "A query parameter out of range",
                    Failure.malformed("The query parameter page must be from 1 to 2147483647.")),
            new ProblemExample(
                    "body", "No body", Failure.malformed("The request body is empty; a JSON object is required."))),

    UNAUTHENTICATED(
            "`unauthenticated`: the API key is missing, malformed, unknown, revoked or expired, or its user is "
                    + "deactivated.",
            new ProblemExample(
                    "unauthenticated",
                    "No valid API key",
                    Failure.of(
                            ErrorCode.UNAUTHENTICATED,
                            "Send a valid API key in the Authorization header, with the Bearer scheme."))),

    FORBIDDEN(
            "`plan_required`, `insufficient_scope` or `forbidden`: the organisation's plan, the key's scopes or the "
                    + "user's role do not allow the operation.",
            new ProblemExample(
                    "scope",
                    "The key lacks a scope",
                    Failure.of(ErrorCode.INSUFFICIENT_SCOPE, "This operation requires a key with the scope write.")),
            new ProblemExample(
                    "role", "The user lacks a role", Failure.forbidden("This operation requires the role member.")),
            new ProblemExample(
                    "plan",
                    "The plan does not include API access",
                    Failure.of(ErrorCode.PLAN_REQUIRED, "API access requires the Business plan."))),

    NOT_FOUND(
            "`not_found`: your organisation has no such resource below this parent.",
            new ProblemExample("unknown", "An unknown id", Failure.notFound("objective"))),

    NOT_ACCEPTABLE(
            "`not_acceptable`: the `Accept` header excludes `application/json`.",
            new ProblemExample(
                    "accept",
                    "The request asks for another media type",
                    Failure.of(ErrorCode.NOT_ACCEPTABLE, "This resource is served as application/json."))),

    CONFLICT(
            "`conflict`: other requests are changing the same resources. Nothing was changed. Try again.",
            ProblemExample.BUSY),

    CONFLICT_OR_IN_FLIGHT(
            "`conflict`: other requests are changing the same resources, or a webhook is inactive. "
                    + "`idempotency_in_flight`: a request with the same `Idempotency-Key` is being processed. Nothing "
                    + "was changed. Try again.",
            ProblemExample.BUSY,
            ProblemExample.IN_FLIGHT),

    ALIGNMENT_CONFLICT(
            "`conflict`: the two objectives are aligned already, or the alignment would close a loop, or other "
                    + "requests are changing the same resources. `idempotency_in_flight`: a request with the same "
                    + "`Idempotency-Key` is being processed.",
            new ProblemExample(
                    "duplicate",
                    "The objectives are aligned already",
                    Failure.conflict("These two objectives are aligned already.")),
            new ProblemExample(
                    "loop",
                    "The alignment would close a loop",
                    Failure.conflict("The alignment would close the loop obj_01k9m2x7q4e8rvb3t5w6y0zacd → "
                            + "obj_01k9m2x7q4e8rvb3t5w6y0zace → obj_01k9m2x7q4e8rvb3t5w6y0zacd.")),
            ProblemExample.BUSY,
            ProblemExample.IN_FLIGHT),

    PRECONDITION_FAILED(
            "`precondition_failed`: the entity tag of the resource is not in `If-Match`. Nothing was changed.",
            new ProblemExample(
                    "changed",
                    "The resource has changed",
                    Failure.of(
                            ErrorCode.PRECONDITION_FAILED,
                            "The resource has changed since it was read. Read it again and repeat the change."))),

    REQUEST_TIMEOUT(
            "`request_timeout`: the body did not arrive in time. The default is ten seconds after the head. Nothing was "
                    + "changed. The service closes the connection.",
            new ProblemExample(
                    "slow",
                    "A body that arrives too slowly",
                    Failure.of(ErrorCode.REQUEST_TIMEOUT, "The body of the request did not arrive in time."))),

    BODY_TOO_LARGE(
            "`body_too_large`: the body has more than 1 MiB.",
            new ProblemExample(
                    "size",
                    "A body of more than 1 MiB",
                    Failure.of(ErrorCode.BODY_TOO_LARGE, "A request body may have at most 1 MiB."))),

    UNSUPPORTED_MEDIA_TYPE(
            "`unsupported_media_type`: the Content-Type is not `application/json`.",
            new ProblemExample(
                    "type",
                    "A body of another media type",
                    Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/json."))),

    VALIDATION_FAILED(
            "`validation_failed`: fields are missing, unknown or wrong. `errors` has one entry for each.",
            ProblemExample.WRONG_FIELDS),

    VALIDATION_FAILED_OR_MISMATCH(
            "`validation_failed`: fields are missing, unknown or wrong. `errors` has one entry for each. "
                    + "`idempotency_mismatch`: the `Idempotency-Key` was used with another body.",
            ProblemExample.WRONG_FIELDS,
            new ProblemExample(
                    "mismatch",
                    "The idempotency key was used with another body",
                    Failure.of(
                            ErrorCode.IDEMPOTENCY_MISMATCH,
                            "This idempotency key was used with another body. Use a new key for a new request."))),

    RATE_LIMITED(
            "`rate_limited`: the quota of the API key is exhausted, or too many requests without a valid API key came "
                    + "from the client's address. Wait the seconds in `Retry-After`, then try again. Refused requests "
                    + "do not count.",
            new ProblemExample(
                    "quota",
                    "The quota of the API key is exhausted",
                    Failure.rateLimited(
                            "An API key may make 1500 requests a minute. Wait as long as Retry-After says.",
                            Duration.ofSeconds(1)))),

    INTERNAL_ERROR(
            "`internal_error`: the service failed.",
            new ProblemExample(
                    "failure",
                    "An error of the service",
                    Failure.of(
                            ErrorCode.INTERNAL_ERROR,
                            "The service failed. Its log has the cause under the request id."))),

    UNAVAILABLE(
            "`unavailable`: the service is temporarily unavailable, for example because its database is. Wait the "
                    + "seconds in `Retry-After`, then try again.",
            new ProblemExample(
                    "database",
                    "The database is unavailable",
                    Failure.unavailable("The database cannot be reached. Try again shortly.", Duration.ofSeconds(2))));

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
    private final List<ProblemExample> examples;

    ProblemResponse(String description, ProblemExample... examples) {
        this.description = description;
        this.examples = List.of(examples);
    }

    static void addTo(Components components) {
        for (var problem : values()) {
            components.addResponse(problem.component(), problem.response());
        }
    }

    /** The name of the component, such as {@code MalformedRequest}. */
    String component() {
        return Arrays.stream(name().split("_"))
                .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
                .collect(Collectors.joining());
    }

    String status() {
        return String.valueOf(Problem.status(examples.getFirst().failure().code()));
    }

    private APIResponse response() {
        var content = OASFactory.createMediaType().schema(References.schema("Problem"));
        examples.forEach(example -> content.addExample(example.key(), example.model()));
        var response = OASFactory.createAPIResponse()
                .description(description)
                .content(OASFactory.createContent().addMediaType(Problem.MEDIA_TYPE, content));
        References.addHeader(response, "X-Request-Id");
        if (this != UNAUTHENTICATED) {
            References.addRateLimit(response);
        }
        switch (this) {
            case UNAUTHENTICATED -> References.addHeader(response, "WWW-Authenticate");
            case ALIGNMENT_CONFLICT, VALIDATION_FAILED_OR_MISMATCH ->
                References.addHeader(response, "Idempotency-Replayed");
            case RATE_LIMITED, UNAVAILABLE -> References.addHeader(response, "Retry-After");
            default -> {}
        }
        return response;
    }
}
