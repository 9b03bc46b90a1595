package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The page at the address in a problem's {@code type}. */
@Path("/problems/{code}")
public class ProblemPages {

    @GET
    @Produces(MediaType.TEXT_HTML)
    @Operation(hidden = true)
    public String page(@PathParam("code") String code) {
        var problem = EnumNames.parse(ErrorCode.class, code).orElseThrow(() -> Failure.notFound("problem"));
        return """
                <!doctype html>
                <html lang="en">
                <head><meta charset="utf-8"><title>%1$s</title></head>
                <body>
                <h1>%1$s</h1>
                <p>Code <code>%2$s</code>, HTTP status %3$d.</p>
                <p>%4$s</p>
                </body>
                </html>
                """.formatted(problem.title(), problem.code(), problem.status(), advice(problem));
    }

    private static String advice(ErrorCode code) {
        return switch (code) {
            case MALFORMED_REQUEST ->
                "Send one JSON object as the body. Use only the query parameters of the operation, with valid values.";
            case UNAUTHENTICATED ->
                "Send <code>Authorization: Bearer</code> and an API key that is neither expired nor revoked.";
            case PLAN_REQUIRED -> "API access requires the Business plan.";
            case INSUFFICIENT_SCOPE ->
                "Create a key with the required scope:"
                        + " <code>read</code>, <code>write</code> or <code>webhooks</code>.";
            case FORBIDDEN -> "The role of the key's user does not allow this operation.";
            case NOT_FOUND -> "Your organisation has no such resource, or it belongs to another parent.";
            case METHOD_NOT_ALLOWED -> "The <code>Allow</code> header lists the supported methods.";
            case NOT_ACCEPTABLE -> "Send an <code>Accept</code> header that allows <code>application/json</code>.";
            case REQUEST_TIMEOUT -> "Nothing was changed. Send the whole body right after the headers.";
            case CONFLICT -> "The detail describes the conflict.";
            case CYCLE_CLOSED -> "A closed cycle cannot be changed. Ask an admin to reopen it.";
            case LAST_ADMIN -> "Make another user an admin first. An organisation always has an active admin.";
            case CURSOR_EXPIRED -> "Export the data again, then read the events with a new cursor.";
            case IDEMPOTENCY_IN_FLIGHT -> "Send the same request again shortly to get its response.";
            case IDEMPOTENCY_MISMATCH ->
                "Generate a new key for each new request. Repeat a key only with the same body.";
            case PRECONDITION_FAILED -> "Read the resource again and repeat the change.";
            case BODY_TOO_LARGE -> "A request body may have at most 1 MiB.";
            case URI_TOO_LONG -> "Use fewer or shorter query parameters.";
            case HEADERS_TOO_LARGE -> "Send fewer or shorter headers.";
            case UNSUPPORTED_MEDIA_TYPE -> "Send <code>Content-Type: application/json</code>.";
            case VALIDATION_FAILED -> "<code>errors</code> lists each invalid field with its JSON Pointer.";
            case LIMIT_REACHED ->
                "The detail names the limit. Delete something first, or ask the operator for a higher limit.";
            case RATE_LIMITED, UNAVAILABLE ->
                "Wait for the number of seconds in <code>Retry-After</code>, then try again.";
            case INTERNAL_ERROR -> "This is an error in the service. Give the request id to its operator.";
        };
    }
}
