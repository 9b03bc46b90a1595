package dev.okr.platform.openapi;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.okr.platform.errors.ErrorCode;
import dev.okr.platform.errors.Failure;
import dev.okr.platform.errors.FieldError;
import dev.okr.platform.http.Problem;
import java.util.LinkedHashMap;
import java.util.List;
import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.examples.Example;

/** An example of a problem, generated from a failure. */
record ProblemExample(String key, String summary, Failure failure) {
    static final ProblemExample BUSY = new ProblemExample(
            "busy",
            "Other requests are changing the same resources",
            Failure.passingConflict("Other requests are changing the same resources. Try again."));

    static final ProblemExample IN_FLIGHT = new ProblemExample(
            "in_flight",
            "The same request is being processed",
            Failure.of(
                    ErrorCode.IDEMPOTENCY_IN_FLIGHT,
                    "A request with this idempotency key is being processed. Try again shortly."));

    static final ProblemExample WRONG_FIELDS = new ProblemExample(
            "fields",
            "Two wrong fields",
            Failure.validation(List.of(
                    new FieldError("/title", "required", "This field is required."),
                    new FieldError("/cycle_id", "unknown_reference", "There is no such cycle."))));

    private static final ObjectMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();
    private static final String PATH = "/v1/objectives";
    private static final String REQUEST_ID = "019b8a1f-2c3d-7e4f-8a5b-6c7d8e9f0a1b";

    Example model() {
        var problem = Problem.of(failure, PATH, REQUEST_ID);
        return OASFactory.createExample()
                .summary(summary)
                .value(JSON.convertValue(problem, new TypeReference<LinkedHashMap<String, Object>>() {}));
    }
}
