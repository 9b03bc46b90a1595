package dev.okr.objectives.overview;

import dev.okr.access.limits.OftenSlow;
import dev.okr.platform.http.Caller;
import dev.okr.platform.http.Data;
import dev.okr.platform.http.EntityTags;
import dev.okr.platform.http.QueryParameters;
import dev.okr.platform.http.Requires;
import dev.okr.platform.http.Right;
import dev.okr.platform.time.UtcClock;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.enums.ParameterIn;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jboss.resteasy.reactive.RestResponse;

/** The progress of a cycle over time. */
@Path("/v1/cycles/{id}/progress-history")
@Tag(name = "Cycles")
@Requires(toRead = Right.READ, toWrite = Right.ADMINISTER)
@OftenSlow
@RunOnVirtualThread
public class CycleHistoryResource {
    private final Histories histories;
    private final UtcClock clock;
    private final Caller caller;
    private final EntityTags tags;

    CycleHistoryResource(Histories histories, UtcClock clock, Caller caller, EntityTags tags) {
        this.histories = histories;
        this.clock = clock;
        this.caller = caller;
        this.tags = tags;
    }

    @GET
    @Operation(summary = "Read the progress of a cycle over time")
    @Parameter(name = "from", in = ParameterIn.QUERY)
    @Parameter(name = "to", in = ParameterIn.QUERY)
    @Parameter(name = "interval", in = ParameterIn.QUERY)
    public RestResponse<Data<ProgressHistoryResponse>> getCycleHistory(
            @PathParam("id") String id, @Context UriInfo uri) {
        var parameters = new QueryParameters(uri, "from", "to", "interval");
        return tags.read(histories.ofCycle(caller.organizationId(), id, HistoryQuery.read(parameters), clock.now()));
    }
}
