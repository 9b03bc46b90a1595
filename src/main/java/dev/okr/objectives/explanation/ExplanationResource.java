package dev.okr.objectives.explanation;

import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** Explains the progress of an objective. */
@Path("/v1/objectives/{id}/progress")
@Tag(name = "Objectives")
@Requires(toRead = Right.READ, toWrite = Right.WRITE)
@RunOnVirtualThread
public class ExplanationResource {
    private final UtcClock clock;
    private final EntityTags tags;

    ExplanationResource(UtcClock clock, EntityTags tags) {
        this.clock = clock;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "Explain the progress of an objective")
    public RestResponse<Data<ProgressExplanation>> explainProgress(@PathParam("id") String id) {
        return tags.read(ProgressExplanation.require(id, clock.now()));
    }
}
