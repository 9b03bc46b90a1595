package dev.okr.platform.idempotency;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Sends a kept response once more, byte for byte. */
@ApplicationScoped
public class Replays {
    static final String HEADER = "Idempotency-Replayed";

    @ServerExceptionMapper
    Response map(Replay replay) {
        var kept = replay.response();
        var response = Response.status(kept.status())
                .type(kept.contentType())
                .header(HEADER, true)
                .entity(kept.body());
        if (kept.location() != null) {
            response.header(HttpHeaders.LOCATION, kept.location());
        }
        if (kept.etag() != null) {
            response.header(HttpHeaders.ETAG, kept.etag());
        }
        return response.build();
    }
}
