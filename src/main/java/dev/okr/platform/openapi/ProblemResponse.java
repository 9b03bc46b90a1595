package dev.okr.platform.openapi;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.JsonBody;
import dev.okr.platform.http.ListQuery;
import dev.okr.platform.http.Problem;
import dev.okr.platform.transactions.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

/** The problem responses of operations. */
enum ProblemResponse {
    MALFORMED_REQUEST(
            "`malformed_request`: the body is not one JSON object, a query parameter is unknown or has an invalid "
                    + "value, or the `Idempotency-Key` is not valid.",
            example("parameter", "A query parameter out of range", Failure.malformed(ListQuery.PAGE_OUT_OF_RANGE)),
            example("body", "No body", Failure.malformed(JsonBody.EMPTY))),

    UNAUTHENTICATED(
            "`unauthenticated`: the API key is missing, malformed, unknown, revoked or expired, or its user is "
                    + "deactivated.",
            example("unauthenticated", "No valid API key", Failure.of(ErrorCode.UNAUTHENTICATED))),

    FORBIDDEN(
            "`plan_required`, `insufficient_scope` or `forbidden`: the organisation's plan, the key's scopes or the "
                    + "user's role do not allow the operation.",
            example("scope", "The key lacks a scope", Failure.missingScope("write")),
            example("role", "The user lacks a role", Failure.missingRole("member")),
            example("plan", "The plan does not include API access", Failure.of(ErrorCode.PLAN_REQUIRED))),

    NOT_FOUND(
            "`not_found`: your organisation has no such resource, or it belongs to another parent.",
            example("unknown", "An unknown id", Failure.notFound("objective"))),

    NOT_ACCEPTABLE(
            "`not_acceptable`: the `Accept` header excludes `application/json`.",
            example("accept", "The request asks for another media type", Failure.of(ErrorCode.NOT_ACCEPTABLE))),

    CONFLICT(
            "`conflict`: other requests are changing the same resources, or another resource has the same unique "
                    + "field. `cycle_closed`: the cycle of the objective is closed. Nothing was changed.",
            busy(),
            externalId(),
            closed()),

    CONFLICT_OR_IN_FLIGHT(
            "`conflict`: other requests are changing the same resources, or another resource has the `external_id`, or "
                    + "a webhook is inactive. `cycle_closed`: the cycle of the objective is closed. "
                    + "`idempotency_in_flight`: a request with the same `Idempotency-Key` is being processed. Nothing was "
                    + "changed.",
            busy(),
            externalId(),
            closed(),
            inFlight()),

    CHECK_IN_CONFLICT(
            "`conflict`: another check-in has the `external_id`, or another check-in of the key result has the same "
                    + "`recorded_at`, or other requests are changing the same resources. `cycle_closed`: the cycle of the "
                    + "objective is closed. `idempotency_in_flight`: a request with the same `Idempotency-Key` is being "
                    + "processed. Nothing was created.",
            example(
                    "recorded_at",
                    "Another check-in of the key result has the same time",
                    Failure.conflict(
                            "The check-in ci_01k9m2x7q4e8rvb3t5w6y0zacd of this key result has the same recorded_at.")),
            externalId(),
            closed(),
            busy(),
            inFlight()),

    ALIGNMENT_CONFLICT(
            "`conflict`: the two objectives are already aligned, or the alignment would close a loop, or other "
                    + "requests are changing the same resources. `cycle_closed`: the cycle of the child is closed. "
                    + "`idempotency_in_flight`: a request with the same `Idempotency-Key` is being processed.",
            example(
                    "duplicate",
                    "The objectives are already aligned",
                    Failure.conflict("These two objectives are already aligned.")),
            example(
                    "loop",
                    "The alignment would close a loop",
                    Failure.conflict("The alignment would close the loop obj_01k9m2x7q4e8rvb3t5w6y0zacd → "
                            + "obj_01k9m2x7q4e8rvb3t5w6y0zace → obj_01k9m2x7q4e8rvb3t5w6y0zacd.")),
            closed(),
            busy(),
            inFlight()),

    CYCLE_CONFLICT(
            "`conflict`: the cycle is not completed, or other requests are changing the same resources. "
                    + "`idempotency_in_flight`: a request with the same `Idempotency-Key` is being processed. Nothing was "
                    + "changed.",
            example(
                    "active",
                    "The cycle is not completed",
                    Failure.passingConflict("Only a completed cycle can be closed. This cycle is active.")),
            busy(),
            inFlight()),

    CARRY_OVER_CONFLICT(
            "`cycle_closed`: the cycle to copy to is closed. `conflict`: other requests are changing the same resources. "
                    + "`idempotency_in_flight`: a request with the same `Idempotency-Key` is being processed. Nothing was "
                    + "copied.",
            closed(),
            busy(),
            inFlight()),

    LAST_ADMIN(
            "`last_admin`: the organisation would have no active admin left. `conflict`: other requests are changing the "
                    + "same resources, or the data of the user were erased. Nothing was changed.",
            example("last", "The last active admin", Failure.of(ErrorCode.LAST_ADMIN)),
            busy()),

    CURSOR_EXPIRED(
            "`cursor_expired`: the cursor of `order=asc` is older than 30 days, so events after it may be deleted.",
            example("expired", "An old cursor", Failure.of(ErrorCode.CURSOR_EXPIRED))),

    RESTORATION_CONFLICT(
            "`conflict`: the cycle or the team of the objective was deleted, or another resource has one of its external "
                    + "ids, or the cycle has another copy of the same objective, or other requests are changing the same "
                    + "resources. `cycle_closed`: the cycle is closed. `idempotency_in_flight`: a request with the same "
                    + "`Idempotency-Key` is being processed. Nothing was restored.",
            example(
                    "cycle",
                    "The cycle of the objective was deleted",
                    Failure.conflict("The objective cannot be restored, because its cycle "
                            + "cyc_01k9m2x7q4e8rvb3t5w6y0zacd was deleted.")),
            externalId(),
            closed(),
            busy(),
            inFlight()),

    PRECONDITION_FAILED(
            "`precondition_failed`: the resource has changed, so `If-Match` does not match. Nothing was changed.",
            example("changed", "The resource has changed", Failure.of(ErrorCode.PRECONDITION_FAILED))),

    REQUEST_TIMEOUT(
            "`request_timeout`: the body did not arrive in time. By default, it must arrive within ten seconds of the "
                    + "headers. Nothing was changed. The service closes the connection.",
            example("slow", "A body that arrives too slowly", Failure.of(ErrorCode.REQUEST_TIMEOUT))),

    BODY_TOO_LARGE(
            "`body_too_large`: the body has more than 1 MiB.",
            example("size", "A body of more than 1 MiB", Failure.of(ErrorCode.BODY_TOO_LARGE))),

    UNSUPPORTED_MEDIA_TYPE(
            "`unsupported_media_type`: the Content-Type is not `application/json`, or `application/merge-patch+json` "
                    + "for a PATCH.",
            example("type", "A body of another media type", Failure.of(ErrorCode.UNSUPPORTED_MEDIA_TYPE))),

    VALIDATION_FAILED(
            "`validation_failed`: fields are missing, unknown or invalid. `errors` has an entry for each. "
                    + "`limit_reached`: the organisation has as many of something as the operator allows.",
            wrongFields()),

    VALIDATION_FAILED_OR_MISMATCH(
            "`validation_failed`: fields are missing, unknown or invalid. `errors` has an entry for each. "
                    + "`idempotency_mismatch`: the `Idempotency-Key` was used with another body. "
                    + "`limit_reached`: the organisation has as many of something as the operator allows.",
            wrongFields(),
            example(
                    "mismatch",
                    "The idempotency key was used with another body",
                    Failure.of(ErrorCode.IDEMPOTENCY_MISMATCH)),
            example(
                    "limit",
                    "The objective has as many key results as allowed",
                    Failure.limitReached("key-results-per-objective", 100))),

    RESTORATION_LIMIT(
            "`limit_reached`: the cycle has as many objectives as the operator allows. Nothing was restored.",
            example("full", "The cycle is full", Failure.limitReached("objectives-per-cycle", 200_000))),

    RATE_LIMITED(
            "`rate_limited`: the API key has used up its quota of requests, the user or the organisation has sent too "
                    + "much data, or too many requests without a valid API key came from the client's address. Wait "
                    + "for the number of seconds in `Retry-After`, then try again. "
                    + "Refused requests do not count.",
            example(
                    "quota",
                    "The quota of the API key is exhausted",
                    Failure.quotaExhausted(1500, Duration.ofSeconds(1)))),

    INTERNAL_ERROR(
            "`internal_error`: the service failed.",
            example("failure", "An error in the service", Failure.of(ErrorCode.INTERNAL_ERROR))),

    UNAVAILABLE(
            "`unavailable`: the service is temporarily unavailable, for example because its database is. Wait "
                    + "for the number of seconds in `Retry-After`, then try again.",
            example("database", "The database is too slow", Deadline.failure()));

    private static final String PATH = "/v1/objectives";
    private static final String REQUEST_ID = "019b8a1f-2c3d-7e4f-8a5b-6c7d8e9f0a1b";

    private final String description;

    private final List<Sample> examples;

    ProblemResponse(String description, Sample... examples) {
        this.description = description;
        this.examples = List.of(examples);
    }

    /** An example of a problem, generated from a failure. */
    private record Sample(String key, String summary, Failure failure) {}

    private static Sample example(String key, String summary, Failure failure) {
        return new Sample(key, summary, failure);
    }

    private static Sample busy() {
        return example("busy", "Other requests are changing the same resources", Failure.busy());
    }

    private static Sample externalId() {
        return example(
                "external_id",
                "Another resource has the external id",
                Failure.conflict("The objective obj_01k9m2x7q4e8rvb3t5w6y0zacd has the external_id jira-PLAN-7."));
    }

    private static Sample closed() {
        return example(
                "closed",
                "The cycle is closed",
                Failure.of(
                        ErrorCode.CYCLE_CLOSED,
                        "The cycle cyc_01k9m2x7q4e8rvb3t5w6y0zacd is closed. An admin can reopen it."));
    }

    private static Sample inFlight() {
        return example("in_flight", "The same request is being processed", Failure.of(ErrorCode.IDEMPOTENCY_IN_FLIGHT));
    }

    private static Sample wrongFields() {
        return example(
                "fields",
                "Two invalid fields",
                Failure.validation(List.of(
                        new FieldError("/title", "required", "This field is required."),
                        new FieldError("/cycle_id", "unknown_reference", "There is no such cycle."))));
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
        return String.valueOf(examples.getFirst().failure().code().status());
    }

    private APIResponse response() {
        var content = OASFactory.createMediaType().schema(References.schema("Problem"));
        var json = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build();
        for (var example : examples) {
            var problem = Problem.of(example.failure(), PATH, REQUEST_ID);
            content.addExample(
                    example.key(),
                    OASFactory.createExample()
                            .summary(example.summary())
                            .value(json.convertValue(problem, new TypeReference<LinkedHashMap<String, Object>>() {})));
        }
        var response = OASFactory.createAPIResponse()
                .description(description)
                .content(OASFactory.createContent().addMediaType(Problem.MEDIA_TYPE, content));
        References.addHeader(response, "X-Request-Id");
        if (this != UNAUTHENTICATED) {
            References.addRateLimit(response);
        }
        switch (this) {
            case UNAUTHENTICATED -> References.addHeader(response, "WWW-Authenticate");
            case CHECK_IN_CONFLICT,
                    ALIGNMENT_CONFLICT,
                    RESTORATION_CONFLICT,
                    VALIDATION_FAILED_OR_MISMATCH,
                    RESTORATION_LIMIT -> References.addHeader(response, "Idempotency-Replayed");
            case RATE_LIMITED, UNAVAILABLE -> References.addHeader(response, "Retry-After");
            default -> {}
        }
        return response;
    }
}
