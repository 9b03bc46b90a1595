package dev.okr.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.okr.client.model.Problem;
import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import org.eclipse.microprofile.rest.client.ext.ResponseExceptionMapper;

/** Makes exceptions of problem responses. */
public class ProblemMapper implements ResponseExceptionMapper<OkrException> {
    @Override
    public OkrException toThrowable(Response response) {
        return new OkrException(response, problem(response), retryAfter(response));
    }

    private static Problem problem(Response response) {
        try {
            return response.hasEntity() ? Json.MAPPER.readValue(response.readEntity(String.class), Problem.class) : null;
        } catch (JsonProcessingException | ProcessingException notOfTheService) {
            return null;
        }
    }

    private static Duration retryAfter(Response response) {
        try {
            String seconds = response.getHeaderString("Retry-After");
            return seconds == null ? Duration.ZERO : Duration.ofSeconds(Long.parseLong(seconds.trim()));
        } catch (NumberFormatException date) {
            return Duration.ZERO;
        }
    }
}
