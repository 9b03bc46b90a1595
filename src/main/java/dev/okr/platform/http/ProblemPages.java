package dev.okr.platform.http;

import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** The short page that a problem's {@code type} leads to. */
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
                """.formatted(problem.title(), problem.code(), Problem.status(problem), advice(problem));
    }

    private static String advice(ErrorCode code) {
        return switch (code) {
            case MALFORMED_REQUEST ->
                "The body must be one JSON object, and query parameters ones that the"
                        + " operation knows, within their range.";
            case UNAUTHENTICATED ->
                "Send <code>Authorization: Bearer</code> with a key that is neither expired" + " nor revoked.";
            case PLAN_REQUIRED -> "API access starts with the Business plan.";
            case INSUFFICIENT_SCOPE ->
                "Create a key with the scope that the operation needs:"
                        + " <code>read</code>, <code>write</code> or <code>webhooks</code>.";
            case FORBIDDEN -> "The role of the key's user does not allow this operation.";
            case NOT_FOUND -> "No such resource exists in your organisation, or not below this parent.";
            case METHOD_NOT_ALLOWED -> "See the <code>Allow</code> header.";
            case NOT_ACCEPTABLE -> "Ask for <code>application/json</code>.";
            case REQUEST_TIMEOUT -> "Nothing was done. Send the whole body right behind the head.";
            case CONFLICT -> "The detail says what stands in the way.";
            case IDEMPOTENCY_IN_FLIGHT -> "Wait a moment, then send the same request again to get its response.";
            case IDEMPOTENCY_MISMATCH ->
                "Make a new key for each new request, and repeat a key with its own body only.";
            case PRECONDITION_FAILED -> "Read the resource again and repeat the change on its newest state.";
            case BODY_TOO_LARGE -> "Bodies may have at most 1 MiB.";
            case UNSUPPORTED_MEDIA_TYPE -> "Send <code>Content-Type: application/json</code>.";
            case VALIDATION_FAILED -> "<code>errors</code> names each wrong field by its JSON Pointer.";
            case RATE_LIMITED, UNAVAILABLE -> "Wait for the seconds in <code>Retry-After</code>, then try again.";
            case INTERNAL_ERROR -> "This is a fault of the service. Tell its operator the request id.";
        };
    }
}
