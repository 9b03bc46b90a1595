package dev.okr.client;

import dev.okr.client.model.InvalidField;
import dev.okr.client.model.Problem;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;

/** The problem that the service responded with. */
public class OkrException extends WebApplicationException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;
    private final Duration retryAfter;

    OkrException(Response response, Problem problem, Duration retryAfter) {
        super(message(response, problem), response);
        this.problem = problem;
        this.retryAfter = retryAfter;
    }

    private static String message(Response response, Problem problem) {
        return problem == null || problem.code() == null
                ? "status " + response.getStatus()
                : problem.code() + ": " + problem.detail();
    }

    /** The status code of the response. */
    public int status() {
        return getResponse().getStatus();
    }

    /** The kind of problem, or null if the response has no problem, for example behind a proxy. */
    public String code() {
        return problem == null ? null : problem.code();
    }

    /** The reason why this request failed, or null. */
    public String detail() {
        return problem == null ? null : problem.detail();
    }

    /** The invalid fields of the body. */
    public List<InvalidField> errors() {
        return problem == null || problem.errors() == null ? List.of() : problem.errors();
    }

    /** The whole problem, or null. */
    public Problem problem() {
        return problem;
    }

    /** How long the service asks to wait. Zero if it does not say. */
    public Duration retryAfter() {
        return retryAfter;
    }

    boolean isTemporary() {
        return status() == 429 || status() == 503 || "idempotency_in_flight".equals(code());
    }
}
