package dev.okr.bench.service;

import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.openapi.annotations.Operation;

/**
 * Answers with JSON of a given size, prepared in advance and without the database. This is the minimum work for any
 * request.
 */
@Path("/bench/bare")
@RunOnVirtualThread
public class BareResource {
    private static final int MIN_BYTES = 11;
    private static final int MAX_BYTES = 1_000_000;

    private final Map<Integer, String> bodies = new ConcurrentHashMap<>();

    @GET
    @Produces(MediaType.APPLICATION_JSON)
    @Operation(hidden = true)
    public String get(@QueryParam("size") int sizeBytes) {
        return bodies.computeIfAbsent(Math.clamp(sizeBytes, MIN_BYTES, MAX_BYTES), BareResource::body);
    }

    private static String body(int sizeBytes) {
        return "{\"data\":\"" + "x".repeat(sizeBytes - MIN_BYTES) + "\"}";
    }
}
