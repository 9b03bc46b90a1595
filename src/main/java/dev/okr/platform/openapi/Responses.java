package dev.okr.platform.openapi;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;
import org.jspecify.annotations.Nullable;

/** Adds to each operation the headers of its success and all problems that it can return. */
final class Responses {
    private static final String OK = "200";
    private static final String NOT_MODIFIED = "304";

    private Responses() {}

    static void complete(DescribedOperation operation) {
        var responses = new TreeMap<>(operation.model().getResponses().getAPIResponses());
        // The scanner documents every success as a 200.
        if (responses.containsKey(OK)) {
            responses.put(String.valueOf(operation.status()), responses.remove(OK));
        }
        responses.forEach((status, response) -> {
            if (status.startsWith("2")) {
                completeSuccess(operation, response);
            }
        });
        if (operation.isSingleRead()) {
            responses.put(NOT_MODIFIED, OASFactory.createAPIResponse().ref("NotModified"));
        }
        problems(operation).forEach((status, component) -> {
            if (!isWritten(responses.get(status))) {
                responses.put(status, OASFactory.createAPIResponse().ref(component));
            }
        });
        operation.model().getResponses().setAPIResponses(responses);
    }

    private static void completeSuccess(DescribedOperation operation, APIResponse response) {
        References.addHeader(response, "X-Request-Id");
        References.addRateLimit(response);
        if (operation.isCreation()) {
            References.addHeader(response, "Location");
        }
        if (operation.isList()) {
            References.addHeader(response, "Link");
        }
        if (operation.hasEntityTag()) {
            References.addHeader(response, "ETag");
        }
        if (operation.isPost()) {
            References.addHeader(response, "Idempotency-Replayed");
        }
        if (response.getDescription().equals("OK")) {
            response.setDescription(success(operation));
        }
    }

    private static String success(DescribedOperation operation) {
        if (operation.isList()) {
            return "One page of the list.";
        }
        return switch (operation.method()) {
            case POST -> {
                if (operation.isAccepted()) {
                    yield "The request was accepted. The work continues in the background.";
                }
                yield operation.isCreation() ? "The resource was created." : "The operation succeeded.";
            }
            case PUT -> "The changed resource.";
            case DELETE -> "The resource was deleted.";
            default -> "The requested resource.";
        };
    }

    /** Whether {@code META-INF/openapi.yaml} describes the response. Responses from the scanner have no content. */
    private static boolean isWritten(@Nullable APIResponse response) {
        return response != null && (response.getRef() != null || response.getContent() != null);
    }

    /** The problems that an operation can return, by status. */
    private static Map<String, String> problems(DescribedOperation operation) {
        var problems = new ArrayList<>(List.of(
                ProblemResponse.MALFORMED_REQUEST,
                ProblemResponse.UNAUTHENTICATED,
                ProblemResponse.FORBIDDEN,
                ProblemResponse.NOT_ACCEPTABLE,
                ProblemResponse.RATE_LIMITED,
                ProblemResponse.INTERNAL_ERROR,
                ProblemResponse.UNAVAILABLE));
        if (operation.hasPathParameter()) {
            problems.add(ProblemResponse.NOT_FOUND);
        }
        if (operation.isWrite()) {
            problems.add(operation.isPost() ? ProblemResponse.CONFLICT_OR_IN_FLIGHT : ProblemResponse.CONFLICT);
        }
        if (operation.isConditional()) {
            problems.add(ProblemResponse.PRECONDITION_FAILED);
        }
        if (operation.hasBody()) {
            problems.addAll(List.of(
                    ProblemResponse.REQUEST_TIMEOUT,
                    ProblemResponse.BODY_TOO_LARGE,
                    ProblemResponse.UNSUPPORTED_MEDIA_TYPE,
                    operation.isPost()
                            ? ProblemResponse.VALIDATION_FAILED_OR_MISMATCH
                            : ProblemResponse.VALIDATION_FAILED));
        }
        var byStatus = new TreeMap<String, String>();
        problems.forEach(problem -> byStatus.put(problem.status(), problem.component()));
        return byStatus;
    }
}
