package dev.okr.platform.idempotency;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Sends a stored response again, byte for byte. */
@ApplicationScoped
public class Replays {
    static final String HEADER = "Idempotency-Replayed";

    @ServerExceptionMapper
    Response map(Replay replay) {
        var stored = replay.response();
        var response = Response.status(stored.status())
                .type(stored.contentType())
                .header(HEADER, true)
                .entity(stored.body());
        if (stored.location() != null) {
            response.header(HttpHeaders.LOCATION, stored.location());
        }
        if (stored.etag() != null) {
            response.header(HttpHeaders.ETAG, stored.etag());
        }
        return response.build();
    }
}
