package dev.okr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.SimpleRequest;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.LevelResolver;
import com.atlassian.oai.validator.report.SimpleValidationReportFormat;
import com.atlassian.oai.validator.report.ValidationReport;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Checks every exchange against the OpenAPI document of the service. Also checks it against the contract (sections 1, 2
 * and 5) on representations, problems, request ids and caching. Rejected requests need not match the document.
 */
final class Contract {
    private static final String PROBLEM = "application/problem+json";
    private static final int NOT_MODIFIED = 304;
    private static final int FIRST_REFUSAL = 400;
    private static final Map<URI, Contract> OF_SERVICES = new ConcurrentHashMap<>();

    /** The only object that can contain nulls. A field is null if it had no value before the event. */
    private static final String PREVIOUS = "previous";

    // After the strings are removed, CROOKED finds numbers with an exponent or with a trailing zero after the point.
    private static final Pattern STRING = Pattern.compile("\"(?:[^\"\\\\]++|\\\\.)*+\"");
    private static final Pattern CROOKED = Pattern.compile("[0-9][eE]|\\.[0-9]*0(?![0-9])|\\.(?![0-9])|-0(?![.0-9])");
    private static final Pattern TIMESTAMP = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");

    private final OpenApiInteractionValidator validator;

    private Contract(JsonNode document) {
        // A refused request can have a path or a method that is not in the document.
        this.validator = OpenApiInteractionValidator.createForInlineApiSpecification(
                        OpenApi30.from(document).toString())
                .withLevelResolver(LevelResolver.create().build())
                .build();
    }

    static Contract of(URI service) {
        return OF_SERVICES.computeIfAbsent(
                service, known -> new Contract(OpenApiDocument.of(known).json()));
    }

    void check(HttpRequest request, byte[] body, Answer answer) {
        assertThat(answer.header("X-Request-Id"))
                .as("X-Request-Id of %s", answer)
                .isPresent();
        var path = request.uri().getPath();
        if (!path.equals("/v1") && !path.startsWith("/v1/")) {
            return;
        }
        checkCaching(answer);
        if (request.method().equals("HEAD")) {
            return;
        }
        if (answer.status() == NOT_MODIFIED) {
            assertThat(answer.bytes()).as(answer::toString).isEmpty();
        } else if (isFile(answer)) {
            assertThat(answer.status()).isEqualTo(200);
        } else if (answer.status() < FIRST_REFUSAL) {
            checkRepresentation(answer);
        } else {
            checkProblem(answer);
        }
        checkDocument(request, body, answer);
    }

    /** An export has its own format. */
    private static boolean isFile(Answer answer) {
        return answer.header("Content-Type").orElse("").startsWith("application/x-ndjson");
    }

    private static void checkCaching(Answer answer) {
        assertThat(answer.headers().allValues("Cache-Control"))
                .as(answer::toString)
                .containsExactly("no-store");
        assertThat(answer.headers().allValues("Vary"))
                .as(answer::toString)
                .containsExactly("Authorization, Accept-Encoding");
    }

    private static void checkProblem(Answer answer) {
        assertThat(answer.header("Content-Type")).as(answer::toString).hasValue(PROBLEM);
        var problem = answer.json();
        var code = problem.path("code").asText();
        assertThat(problem.path("type").asText()).as(answer::toString).isEqualTo("/problems/" + code);
        assertThat(problem.path("status").asInt()).as(answer::toString).isEqualTo(answer.status());
        assertThat(problem.path("title").asText()).as(answer::toString).isNotBlank();
        assertThat(problem.path("detail").asText()).as(answer::toString).isNotBlank();
        // A replayed problem has the id of the first request.
        assertThat(problem.path("request_id")
                        .asText()
                        .equals(answer.header("X-Request-Id").orElseThrow()))
                .as(answer::toString)
                .isEqualTo(answer.header("Idempotency-Replayed").isEmpty());
        assertThat(problem.path("instance").asText()).as(answer::toString).isNotBlank();
        assertThat(problem.has("errors")).as(answer::toString).isEqualTo(code.equals("validation_failed"));
    }

    private static void checkRepresentation(Answer answer) {
        assertThat(answer.header("Content-Type").orElse(""))
                .as(answer::toString)
                .startsWith("application/json");
        var withoutStrings = STRING.matcher(answer.text()).replaceAll("\"\"");
        assertThat(CROOKED.matcher(withoutStrings).find())
                .as("numbers are plain: %s", answer)
                .isFalse();
        assertThat(showsNull(answer.json()))
                .as("absent fields are left out: %s", answer)
                .isFalse();
        answer.json().findParents("created_at").forEach(resource -> checkTimestamps(resource, answer));
    }

    private static boolean showsNull(JsonNode node) {
        return node.isNull()
                || (node.isArray() && node.valueStream().anyMatch(Contract::showsNull))
                || node.propertyStream()
                        .anyMatch(field -> !field.getKey().equals(PREVIOUS) && showsNull(field.getValue()));
    }

    private static void checkTimestamps(JsonNode resource, Answer answer) {
        resource.properties().stream()
                .filter(field -> field.getKey().endsWith("_at"))
                .forEach(field -> assertThat(field.getValue().asText())
                        .as(answer::toString)
                        .matches(TIMESTAMP));
    }

    private void checkDocument(HttpRequest request, byte[] body, Answer answer) {
        var response = new SimpleResponse.Builder(answer.status());
        answer.headers().map().forEach(response::withHeader);
        if (answer.bytes().length > 0) {
            response.withBody(answer.bytes());
        }
        var report = answer.status() < FIRST_REFUSAL
                ? validator.validate(simple(request, body), response.build())
                : validator.validateResponse(
                        request.uri().getRawPath(), simple(request, null).getMethod(), response.build());
        var messages = report.getMessages().stream()
                .filter(message -> message.getLevel() == ValidationReport.Level.ERROR)
                .filter(message -> answer.status() < FIRST_REFUSAL || !isUnknownOperation(message))
                .toList();
        assertThat(messages)
                .as(() -> answer + "\n"
                        + SimpleValidationReportFormat.getInstance().apply(report))
                .isEmpty();
    }

    /** A refused request can have a path or a method that is not in the document. */
    private static boolean isUnknownOperation(ValidationReport.Message message) {
        return message.getKey().equals("validation.request.path.missing")
                || message.getKey().equals("validation.request.operation.notAllowed");
    }

    private static SimpleRequest simple(HttpRequest request, byte[] body) {
        var simple = new SimpleRequest.Builder(request.method(), request.uri().getRawPath());
        request.headers().map().forEach(simple::withHeader);
        if (request.uri().getRawQuery() != null) {
            for (var parameter : request.uri().getRawQuery().split("&")) {
                var parts = parameter.split("=", 2);
                simple.withQueryParam(decode(parts[0]), parts.length == 1 ? "" : decode(parts[1]));
            }
        }
        if (body != null) {
            simple.withBody(body);
        }
        return simple.build();
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
